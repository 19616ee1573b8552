// The volumes that a pod's claims take on the node that it is placed on.
#pragma once

#include <vector>

#include "cluster/api/pod.h"
#include "cluster/api/storage.h"
#include "cluster/state/state.h"
#include "extender/engine/ruleset.h"

namespace winnow {

/// What was changed, as it was before.
struct Reserved {
  std::vector<PersistentVolumeClaim> claims;
  std::vector<PersistentVolume> volumes;
};

/// Takes the volumes for a pod's claims that wait for their first consumer, as the rules of volume binding
/// found them. A claim that an existing volume serves is bound to it, as after PreBind and the volume
/// controller. A claim whose volume must be made gets the annotation selected-node, and stays so: where the
/// new volume can be used is the driver's to say. Capacities that drivers report are not reduced.
///
/// Nothing happens where the rules bind no volumes. Call it before the pod is put on its node.
/// @param node  a row of the state, which the pod fits.
/// @return what it has changed.
/// Upstream: pkg/scheduler/framework/plugins/volumebinding/binder.go AssumePodVolumes, BindPodVolumes
/// v1.37.0; pkg/controller/volume/scheduling/scheduler_binder.go AssumePodVolumes v1.16.15.
Reserved reserve_volumes(State& state, const RuleSet& rules, const Pod& pod, NodeId node);

}  // namespace winnow
