// The failure of v1.16's predicate metadata, which it computes for a pod before it asks any predicate.
//
// An invalid selector makes that computation fail, and upstream then goes on without metadata. EvenPodsSpread
// gives an error on every node. MatchInterPodAffinity takes a slower path with partly different results.
#pragma once

#include "cluster/rule/request.h"

namespace winnow::predicates {

/// Whether upstream has no metadata for the pod. The cluster is the one before any dry run: see
/// Request::before. That is so in these cases:
/// - a hard spread constraint of the pod has an invalid selector, and a node that the constraints count has a
///   pod of the same namespace;
/// - a pod on some node has a required anti-affinity term with an invalid selector;
/// - the pod has a required affinity term with an invalid selector;
/// - the pod has such an anti-affinity term, and there is any pod on any node.
/// Upstream: predicates/metadata.go GetMetadata v1.16.15.
bool lacks_metadata(const Request& request);

/// Whether v1.16's AddPod fails for a nominated pod, and so leaves the metadata as it is: a term of the pod's
/// required anti-affinity has an invalid selector.
/// Upstream: predicates/metadata.go AddPod, core/generic_scheduler.go addNominatedPods v1.16.15.
bool fails_to_be_added(const State& state, const PodRecord& pod);

}  // namespace winnow::predicates
