// Topology domains that (anti-)affinity between pods requires or forbids, for rules of both generations.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/rule/domains.h"
#include "cluster/rule/request.h"
#include "cluster/rule/verdict.h"

namespace winnow::predicates {

/// Domains by topology key. A domain is marked if its number is not 0.
using MarkedDomains = DomainsByKey<std::uint8_t>;
/// Whether a node is in a marked domain of any key.
bool in_any(const MarkedDomains& domains, NodeId node);
/// Gives a verdict to the nodes that are in a marked domain of any key.
void refuse_in_any(const MarkedDomains& domains, Verdict verdict, std::span<const NodeId> nodes,
                   std::span<Verdict> out);
/// Gives a verdict to the nodes that lack a marked domain of some key.
void refuse_unless_in_all(const MarkedDomains& domains, Verdict verdict, std::span<const NodeId> nodes,
                          std::span<Verdict> out);

/// Marks the domains of the nodes that have pods. @param pods  how many, by node id.
/// @return whether a domain was marked.
bool mark(Domains<std::uint8_t>& domains, const std::vector<std::int32_t>& pods);

/// The domains that running pods keep free of this pod by their required anti-affinity. Without keys if no
/// domain is marked.
MarkedDomains domains_of_existing_anti_affinity(const Request& request);

/// Marks the domains of these pods for every key. @return whether a domain was marked.
bool mark_all(MarkedDomains& domains, const std::vector<std::int32_t>& pods);

}  // namespace winnow::predicates
