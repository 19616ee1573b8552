// Which single nodes were answered to whom, for the answers `best` and `one`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "cluster/mutex.h"

namespace winnow {

/// Remembers the nodes that a pod was given as the only one. A pod that asks again was not bound there:
/// kube-scheduler refused the node for reasons of its own, and must not be given the same answer for ever.
/// Holds the last kPods pods. Thread-safe.
class Picks {
 public:
  /// How often the pod was given each of these nodes and did not go there.
  std::unordered_map<std::string, std::uint32_t> not_followed(std::string_view pod_uid) const;
  /// The pod is given this node now.
  void answered(std::string_view pod_uid, std::string_view node);

 private:
  static constexpr std::size_t kPods = 10'000;
  struct Entry {
    std::string pod_uid;
    std::unordered_map<std::string, std::uint32_t> times;
  };
  mutable Mutex mutex_;
  std::list<Entry> entries_ WINNOW_GUARDED_BY(mutex_);  ///< The latest first.
  std::unordered_map<std::string_view, std::list<Entry>::iterator> by_pod_ WINNOW_GUARDED_BY(mutex_);
};

}  // namespace winnow
