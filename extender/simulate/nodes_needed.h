// How many nodes of a kind the pods need that do not fit.
#pragma once

#include <cstddef>

#include "cluster/api/node.h"
#include "extender/simulate/simulation.h"

namespace winnow {

/// Places all pods that wait. While some fit nowhere, adds one node of the template, and tries those again:
/// as a cluster does that grows by one node at a time. Pods that have a place stay there. Ends when all fit,
/// when a new node is of no use to any pod, which is taken away again, or when `most` were added.
void add_nodes_until_all_fit(Simulation& simulation, const Node& node, std::size_t most);

}  // namespace winnow
