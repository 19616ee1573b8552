// From objects to a state.
#pragma once

#include "cluster/files/cluster_file.h"
#include "cluster/state/state.h"

namespace winnow {

/// Puts every object into the state, as if each had come as an event, and lets go of the objects.
void load(State& state, ClusterObjects objects);

}  // namespace winnow
