// Nominated pods: those that a node is promised to after a preemption.
//
// A pod that has preempted others waits until its victims have ended. Until then its node looks free. So a
// node with nominated pods of equal or higher priority is asked about twice, and the pod must fit both times:
//   - with the nominated pods on it, because they take up room;
//   - without them, because they may go elsewhere, and the pod's affinity may depend on them.
// Nominated pods of lower priority do not count. A plugin of today's whose PreFilter skipped the pod is not
// asked in the pass with nominated pods either, because PreFilter is not run again. Upstream:
// pkg/scheduler/framework/runtime/framework.go RunFilterPluginsWithNominatedPods v1.37.0,
// core/generic_scheduler.go podFitsOnNode, addNominatedPods v1.16.15.
#pragma once

#include <string_view>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/state/row_values.h"

namespace winnow {

class State;
class View;

/// The pods nominated for a node that `pod` must leave room for, changed as if they ran there. Their priority
/// is not lower than the pod's. The pod itself and pods that the view has added to a node are left out.
std::vector<Pod> promised_pods(const View& view, const Pod& pod, std::string_view node_name);
/// The same pods, as they are in the state.
std::vector<PodId> promised_ids(const View& view, const Pod& pod, std::string_view node_name);
/// A pending pod of the state as if it ran on the node that it is nominated for.
Pod as_promised(const State& state, PodId id, std::string_view node_name);

}  // namespace winnow
