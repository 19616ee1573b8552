// Whom preempt has named, for whom.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/mutex.h"
#include "extender/protocol/preempt_args.h"

namespace winnow {

/// Remembers the victims that were named last for a pod. kube-scheduler evicts those of one node, nominates
/// the pod for it, and does not ask again before they are gone. Holds the last kPods pods. Thread-safe.
class NamedVictims {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kPods = 100;
  /// No watch is later than this. What is there still by then stays.
  static constexpr std::chrono::seconds kBelief{10};

  void named(const std::string& pod_uid, std::vector<MetaVictims> victims);
  /// The UIDs of those named for the pod on the node.
  std::vector<std::string> on(std::string_view pod_uid, std::string_view node) const;
  /// The picture has such victims still, and the request says that they are gone. @return whether the
  /// request is believed: so it is for kBelief since the first such request.
  bool are_gone(std::string_view pod_uid, Time now);

 private:
  struct Entry {
    std::string pod_uid;
    std::vector<MetaVictims> victims;
    std::optional<Time> gone;  ///< Since when a request has said so.
  };
  mutable Mutex mutex_;
  std::list<Entry> entries_ WINNOW_GUARDED_BY(mutex_);  ///< The latest first; few.
};

}  // namespace winnow
