// A node of the state, as an object again.
#pragma once

#include "cluster/api/node.h"
#include "cluster/state/state.h"

namespace winnow {

/// The node as far as rules read a node: set_node(to_node(state, id)) changes no column. Capacity, other
/// annotations and conditions that no rule reads are lost.
/// @param id  a row of the state that has a node.
Node to_node(const State& state, NodeId id);

}  // namespace winnow
