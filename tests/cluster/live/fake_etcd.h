// The history of a made-up cluster.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/live/clock.h"
#include "cluster/live/resource.h"

namespace winnow::live {

/// What was, is and will be written and when: made beforehand, so that everything a server says is a function
/// of the time, and several reflectors can be run one after another through the same history.
class FakeEtcd {
 public:
  using Version = std::uint64_t;

  struct Change {
    Clock::Time at;
    Version version;
    std::string resource;  ///< "pods"
    std::string type;      ///< "ADDED", "MODIFIED", "DELETED"
    std::string name;
    std::string object;  ///< With kind, as a watch sends it.
  };
  /// The history as it is from a time on. Only a restore begins a new one.
  struct Era {
    Clock::Time from;
    std::vector<Change> changes;  ///< By version and by time.
    Version last() const { return changes.empty() ? 1 : changes.back().version; }
  };

  FakeEtcd() : eras_(1) {}

  /// Times must not decrease. @param skip  versions that other resources take before.
  void set(Clock::Time at, const Resource& resource, std::string_view name, std::string_view content,
           Version skip = 0);
  void remove(Clock::Time at, const Resource& resource, std::string_view name, Version skip = 0);
  /// All that is newer than `version` is lost: a backup is restored.
  void restore(Clock::Time at, Version version);

  const Era& era(Clock::Time at) const;
  Version version(Clock::Time at) const;
  const std::vector<Era>& eras() const { return eras_; }

  /// Name -> object without kind, as a list sends it.
  using Objects = std::map<std::string, std::string, std::less<>>;
  Objects objects(Clock::Time at, std::string_view resource) const;
  static Objects objects(const Era& era, Version version, std::string_view resource);

 private:
  void write(Clock::Time at, const Resource& resource, std::string_view type, std::string_view name,
             std::string_view content, Version skip);

  std::vector<Era> eras_;
};

/// A list has its items without kind: this takes it out.
std::string without_kind(std::string_view object);
/// The object's name and its resource version.
std::string name_of(std::string_view object);
FakeEtcd::Version version_of(std::string_view object);

}  // namespace winnow::live
