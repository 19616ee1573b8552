// The (anti-)affinity terms of the pod that is to be placed, as today's InterPodAffinity plugin reads them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cluster/rule/request.h"

namespace winnow {

/// Calls visit(term) for the pod's terms of one kind, with their namespace selectors resolved: a term covers
/// exactly `namespaces`, or every namespace if its namespace selector is everything. A selector finds a
/// namespace only if the view has its Namespace object. Upstream:
/// pkg/scheduler/framework/plugins/interpodaffinity/plugin.go mergeAffinityTermNamespacesIfNotEmpty v1.37.0.
void visit_own_terms(const Request& request, TermKind kind,
                     const std::function<void(const AffinityTerm&)>& visit);

/// The pods that match a term. @param own_term  from visit_own_terms().
PodQuery query_of(const AffinityTerm& own_term);

/// Upstream's error for the pod's invalid terms, of all kinds together; nothing if all are valid.
/// Upstream: pkg/scheduler/framework/types.go NewPodInfo v1.37.0.
std::optional<std::string> invalid_terms_error(const PodSpec& pod);

}  // namespace winnow
