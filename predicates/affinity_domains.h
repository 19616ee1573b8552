// Domains that (anti-)affinity between pods opens or closes, for rules of both generations.
#pragma once

#include "cluster/rule/domains.h"
#include "cluster/rule/request.h"

namespace winnow::predicates {

/// Domains by topology key; those that are marked are not 0.
using MarkedDomains = DomainsByKey<std::uint8_t>;
/// Whether a node is in a marked domain of any key.
bool in_any(const MarkedDomains& domains, NodeId node);

/// Marks the domains of the nodes that have pods. @return whether there is one.
bool mark(Domains<std::uint8_t>& domains, const std::vector<std::int32_t>& pods);

/// The domains that pods which run keep free of this pod: those of their required anti-affinity. Empty where
/// none is marked.
MarkedDomains domains_of_existing_anti_affinity(const Request& request);

/// The pods that match all of the terms, which are not empty. An invalid selector matches nothing.
/// @param query_of  what one term asks for.
PodQuery all_of(const std::vector<AffinityTerm>& terms, PodQuery (*query_of)(const AffinityTerm&));

}  // namespace winnow::predicates
