// How often pods fit into the cluster.
#pragma once

#include <cstddef>

#include "extender/simulate/simulation.h"

namespace winnow {

/// Places the pods of these batches over and over, in their order, until one fits nowhere. The result says
/// how many fitted, and why the last did not. Priorities do not change the order.
/// @param batches  of Simulation::add_batches(). @param most  pods, at most.
void place_until_full(Simulation& simulation, BatchRange batches, std::size_t most);

}  // namespace winnow
