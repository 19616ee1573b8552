// How a refused pod that fits by now is brought to kube-scheduler's notice.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <utility>

#include "cluster/servers/pod_patcher.h"
#include "extender/catch_up/refusals.h"
#include "extender/log/log_rate.h"

namespace winnow {

/// Nominates the pod for the node on which it fits. kube-scheduler tries a pod again that an extender has
/// refused when the pod changes, and tries the nominated node first. If the pod does not fit there,
/// kube-scheduler takes the nomination back. Upstream: Update of pkg/scheduler/backend/queue/
/// scheduling_queue.go and handleSchedulingFailure of pkg/scheduler/schedule_one.go v1.37.0.
///
/// That needs the right to patch pods/status. Without it that is said once in kRest, and nothing is done
/// meanwhile. Used by one thread.
class PodWaker {
 public:
  using Time = Refusal::Time;
  static constexpr std::chrono::minutes kRest{10};
  /// The time between two pods, so that the picture has the nomination before another pod is found to fit on
  /// the same place.
  static constexpr std::chrono::milliseconds kBetween{200};
  /// The longest that a nomination may take.
  static constexpr std::chrono::seconds kLongest{2};
  using Nominate = std::function<live::PatchResult(const live::PodIdentity& pod, const std::string& node)>;

  explicit PodWaker(Nominate nominate) : nominate_(std::move(nominate)) {}

  /// Whether wake() would do anything now.
  bool may_wake(Time now) const { return now >= rests_until_; }
  /// @param refusal  with the node.
  void wake(const Refusal& refusal, Time now);

 private:
  const Nominate nominate_;
  Time rests_until_{};
  LogRate woken_told_;
};

}  // namespace winnow
