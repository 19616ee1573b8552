// TaintToleration: prefers nodes with fewer PreferNoSchedule taints that the pod does not tolerate. No pod is
// skipped.
// Upstream: pkg/scheduler/framework/plugins/tainttoleration/taint_toleration.go v1.37.0.
#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority taint_toleration;

BoundPriority taint_toleration(const Request& request, const Arguments&) {
  return tolerates_preferences(request, kMaxNodeScore);
}

}  // namespace winnow::priorities::today
