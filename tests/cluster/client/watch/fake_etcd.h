// The simulated etcd: the history of all changes in a cluster.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/client/watch/resource.h"
#include "cluster/clock.h"

namespace winnow::live {

/// All changes, past and future, with their times. They are made before the run. So a server's answers are a
/// function of the time, and several reflectors can run through the same history one after another.
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
  /// The history that holds from a time on. Only a restore begins a new one.
  struct Era {
    Clock::Time from;
    std::vector<Change> changes;  ///< By version and by time.
    Version last() const { return changes.empty() ? 1 : changes.back().version; }
  };

  FakeEtcd() : eras_(1) {}

  /// Adds a change. Times must not decrease. @param skip  the number of versions that other resources take
  /// before it.
  void set(Clock::Time at, const Resource& resource, std::string_view name, std::string_view content,
           Version skip = 0);
  void remove(Clock::Time at, const Resource& resource, std::string_view name, Version skip = 0);
  /// Restores a backup: all changes newer than `version` are lost.
  void restore(Clock::Time at, Version version);

  /// Whether the object exists after all changes so far.
  bool has(const Resource& resource, std::string_view name) const {
    return there_.contains({resource.name, std::string(name)});
  }
  const Era& era(Clock::Time at) const;
  Version version(Clock::Time at) const;
  const std::vector<Era>& eras() const { return eras_; }

  /// The objects by name, without kind, as a list sends them.
  using Objects = std::map<std::string, std::string, std::less<>>;
  Objects objects(Clock::Time at, std::string_view resource) const;
  static Objects objects(const Era& era, Version version, std::string_view resource);

 private:
  void write(Clock::Time at, const Resource& resource, std::string_view type, std::string_view name,
             std::string_view content, Version skip);

  std::vector<Era> eras_;
  std::set<std::pair<std::string, std::string>> there_;
};

/// Removes the kind from an object, because a list's items have none.
std::string without_kind(std::string_view object);
/// The object's name and its resource version.
std::string name_of(std::string_view object);
FakeEtcd::Version version_of(std::string_view object);

}  // namespace winnow::live
