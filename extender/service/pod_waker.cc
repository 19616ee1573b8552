#include "extender/service/pod_waker.h"

#include "extender/log/log.h"

namespace winnow {

void PodWaker::wake(const Refusal& refusal, Time now) {
  if (!may_wake(now)) return;
  rests_until_ = now + kBetween;
  const live::PatchResult result = nominate_(
      {.ns = refusal.ns, .name = refusal.name, .uid = refusal.uid, .resource_version = ""}, refusal.node);
  const std::string pod = refusal.ns + '/' + refusal.name;
  switch (result.outcome) {
    case live::PatchOutcome::kDenied:
      rests_until_ = now + kRest;
      return log_warn(
          "a pod that was refused would fit now, and Winnow may not nominate it: it waits for "
          "kube-scheduler's next try",
          {{"pod", pod}, {"node", refusal.node}, {"error", result.error}});
    case live::PatchOutcome::kWritten:
      if (const auto left_out = woken_told_.next(now))
        log_info("a pod that was refused fits now, and is nominated so that kube-scheduler tries it",
                 {{"pod", pod}, {"node", refusal.node}, {"lines_left_out", *left_out}});
      return;
    default:  // It is bound, gone or somebody else's by now; or nobody knows, and the watch will tell.
      return;
  }
}

}  // namespace winnow
