// Pods that a node has been promised to.
//
// A pod that has made room for itself by preemption waits for its victims to end; until then the node looks
// free to others. So a node that pods of equal or higher priority are nominated for is asked about twice:
// with these pods on it, and, if the pod fits, without them (for they may go elsewhere after all, and then
// what the pod wants to be close to would not be there). The first pass that fails decides. Of today's
// plugins one whose PreFilter has had nothing to say stays silent in the first pass too, and none refuses the
// pod there. Pods of lower priority are not waited for. Upstream:
// pkg/scheduler/framework/runtime/framework.go RunFilterPluginsWithNominatedPods v1.37.0,
// core/generic_scheduler.go podFitsOnNode, addNominatedPods v1.16.15.
#pragma once

#include <string_view>
#include <vector>

#include "cluster/state/view.h"

namespace winnow {

/// The pods nominated for the node that the pod must leave room for, as if they were on it: those of no lower
/// priority, the pod itself left out, and those that the view has on a node already.
std::vector<Pod> promised_pods(const View& view, const Pod& pod, std::string_view node_name);

}  // namespace winnow
