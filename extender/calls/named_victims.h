// The victims that preempt has answered for each pod.
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

/// The victims of the last preempt answer for each pod, by node. kube-scheduler evicts the victims on one
/// node, nominates the pod for it, and does not ask again before they are gone. Keeps the last kPods pods.
/// Thread-safe.
class NamedVictims {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kPods = 100;
  /// The longest delay of a watch that is expected. Victims that are in the picture after it have not gone.
  static constexpr std::chrono::seconds kBelief{10};

  /// Replaces the victims of the pod by those of a new answer.
  void named(const std::string& pod_uid, std::vector<MetaVictims> victims);
  /// The UIDs of the pod's victims on the node; empty if there are none.
  std::vector<std::string> on(std::string_view pod_uid, std::string_view node) const;
  /// Called when the picture still has such victims and the request says that they are gone.
  /// @return whether the request is to be believed. It is for kBelief from the first such request on. False
  ///   for a pod without victims here.
  bool are_gone(std::string_view pod_uid, Time now);
  /// What are_gone() would say, without a note that the request has said so.
  bool would_be_gone(std::string_view pod_uid, Time now) const;

 private:
  struct Entry {
    std::string pod_uid;
    std::vector<MetaVictims> victims;
    std::optional<Time> gone;  ///< Time of the first request that said so.
  };
  mutable Mutex mutex_;
  std::list<Entry> entries_ WINNOW_GUARDED_BY(mutex_);  ///< The latest first; few.
};

}  // namespace winnow
