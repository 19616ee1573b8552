// The (anti-)affinity terms of the pod that is placed, as today's plugin reads them.
#pragma once

#include <vector>

#include "cluster/rule/request.h"

namespace winnow {

/// Those of a kind, their namespace selectors resolved: `namespaces` are all that the term speaks of, or the
/// selector is everything and it speaks of all. Only namespaces that there is an object of are selected.
/// Upstream: pkg/scheduler/framework/plugins/interpodaffinity/plugin.go mergeAffinityTermNamespacesIfNotEmpty
/// v1.37.0.
std::vector<AffinityTerm> own_terms(const Request& request, TermKind kind);

/// The pods that such a term speaks of.
PodQuery query_of(const AffinityTerm& own_term);

/// What is wrong with the pod's terms of any kind, as upstream tells it; nothing if all are valid.
/// Upstream: pkg/scheduler/framework/types.go NewPodInfo v1.37.0.
std::optional<std::string> invalid_terms_error(const PodSpec& pod);

}  // namespace winnow
