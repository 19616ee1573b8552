// The single nodes that each pod was answered with, for the answers `best` and `one`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/mutex.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

/// A memory of the nodes that were each pod's only answer. A pod that is asked about again was not bound to
/// its node: kube-scheduler has refused that node for reasons of its own. The same answer must not be
/// repeated for ever. Keeps the last kPods pods. Thread-safe. `pod_uid` is the key of pod_key_of().
class Picks {
 public:
  /// The nodes that the pod was answered with before, each with the number of such answers.
  TextMap<std::uint32_t> not_followed(std::string_view pod_uid) const;
  /// Counts an answer of this node for the pod.
  void answered(std::string_view pod_uid, std::string_view node);
  /// Sets what not_followed() gives for the pod.
  void repeat(std::string_view pod_uid, TextMap<std::uint32_t> times);

 private:
  static constexpr std::size_t kPods = 10'000;
  struct Entry {
    std::string pod_uid;
    TextMap<std::uint32_t> times;
  };
  Entry& entry_of(std::string_view pod_uid) WINNOW_REQUIRES(mutex_);
  mutable Mutex mutex_;
  std::list<Entry> entries_ WINNOW_GUARDED_BY(mutex_);  ///< The latest first.
  std::unordered_map<std::string_view, std::list<Entry>::iterator, TextHash> by_pod_
      WINNOW_GUARDED_BY(mutex_);
};

}  // namespace winnow
