// How often pods fit into the cluster.
#pragma once

#include <cstddef>
#include <cstdint>

#include "extender/simulate/simulation.h"

namespace winnow {

/// Places the pods of these batches over and over, in their order, until one fits nowhere. The result says
/// how many fitted, and why the last did not. Priorities do not change the order.
/// @param first_batch  of Simulation::add_batches(). @param most  pods, at most.
void place_until_full(Simulation& simulation, std::uint32_t first_batch, std::size_t most);

}  // namespace winnow
