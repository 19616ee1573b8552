// Nodes that are drained: cordoned, and their pods evicted one after another.
#pragma once

#include <string>
#include <vector>

#include "extender/simulate/simulation.h"

namespace winnow {

/// Cordons the nodes. Then evicts their pods node by node, in order of namespace and name. Each evicted pod
/// is placed anew before the next eviction. An eviction that a disruption budget forbids waits, until others
/// have been of use: a replacement stands, or a pod has found its place. What is still forbidden then is
/// blocked. Pods of DaemonSets and static pods stay; so do pods that are being deleted, which leave by
/// themselves. Pods with emptyDir are evicted, as by `kubectl drain --delete-emptydir-data --force`.
/// @param nodes  of the state.
/// Upstream: kubectl v0.37.0 pkg/drain (drain.go, filters.go).
void drain(Simulation& simulation, const std::vector<std::string>& nodes);

}  // namespace winnow
