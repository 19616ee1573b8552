// What v1.16 works out for a pod before it asks any predicate ("metadata"), as far as that can fail.
//
// An invalid selector anywhere makes upstream go on without: EvenPodsSpread then ends in an error on every
// node, and MatchInterPodAffinity takes a slower way that does not always say the same.
#pragma once

#include "cluster/rule/request.h"

namespace winnow::predicates {

/// Whether upstream has no metadata for the pod: one of its hard spread constraints has an invalid selector
/// and there is a pod to try it on (same namespace, on a node that the constraints look at); or a pod on some
/// node has a required anti-affinity term with one; or the pod itself has a required affinity term with one,
/// or such an anti-affinity term and there is any pod on any node.
/// Upstream: predicates/metadata.go GetMetadata v1.16.15.
bool lacks_metadata(const Request& request);

}  // namespace winnow::predicates
