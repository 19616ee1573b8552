// The objects of files, written into a state.
#pragma once

#include "cluster/files/cluster_file.h"
#include "cluster/state/state.h"

namespace winnow {

/// Puts every object into the state, as if it had arrived as an event.
void load(State& state, const ClusterObjects& objects);

}  // namespace winnow
