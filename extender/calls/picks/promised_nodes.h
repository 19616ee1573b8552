// The nodes that preempt has answered, until the watch shows them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <string>
#include <vector>

#include "cluster/mutex.h"
#include "cluster/state/state.h"

namespace winnow {

/// The node of the last preempt answer for each pod, where the answer had one node. kube-scheduler nominates
/// the pod for it, and its next preemption counts the pod there at once. The picture shows the nomination
/// later. Keeps the last kPods pods. Thread-safe.
class PromisedNodes {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr std::size_t kPods = 1000;
  /// The longest delay of a watch that is expected.
  static constexpr std::chrono::seconds kBelief{10};

  /// Replaces the pod's promise.
  /// @param pod   with the resource version that kube-scheduler knows.
  /// @param node  "": it has none any more.
  void promise(const Pod& pod, const std::string& node, Time now);
  /// The nodes that are promised to other pods, and whose nominations the state does not show. A promise ends
  /// with the pod's nomination for that node, with its place on a node, or with the pod. One to a pod of
  /// lower priority does not count: kube-scheduler takes such a nomination away.
  /// @param told  the resource version that the watch of pods has reached.
  std::vector<std::string> of_others(const State& state, std::uint64_t told, const Pod& pod, Time now);

 private:
  struct Promise {
    std::string ns, name, uid, node;
    std::uint64_t version = 0;
    std::int32_t priority = 0;
    Time at;
  };
  static bool has_ended(const Promise& one, const State& state, std::uint64_t told, Time now);

  mutable Mutex mutex_;
  std::list<Promise> promises_ WINNOW_GUARDED_BY(mutex_);  ///< The latest first; few.
};

}  // namespace winnow
