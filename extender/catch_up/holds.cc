#include "extender/catch_up/holds.h"

namespace winnow {

void Holds::note_fit(Hold& hold, std::string_view pod_key, Time now) {
  hold.end(/*refused=*/false, now);
  refusals_.forget(pod_key);
}

std::string Holds::note_refusal(Hold& hold, const Pod& pod, const Hold::Seen& seen, bool is_error,
                                bool may_remark, const std::function<std::string()>& held, Time now) {
  hold.end(/*refused=*/true, now);
  // After an error kube-scheduler tries the pod again in any case.
  const bool doubtful = !is_error && hold.is_doubtful(seen, now);
  const bool told = doubtful && may_remark && late_remarks_.may_tell(hold.has_sign(), now);
  const ObjectMeta& meta = pod.metadata;
  refusals_.refused(hold.refusal(meta.namespace_, meta.name, seen, now, doubtful, told));
  return told ? LateRemarks::remark(hold.attempt(), held()) : std::string();
}

}  // namespace winnow
