// What the two ways of MatchInterPodAffinity share.
// Upstream: predicates.go InterPodAffinityMatches and what it calls, v1.16.15.
#pragma once

#include <array>

#include "cluster/rule/domains.h"
#include "predicates/rules.h"

namespace winnow::predicates {

/// The reasons' bit numbers. A failure says the first of them and one more.
enum AffinityReason : std::uint8_t { kNotMatched, kAffinityRules, kAntiAffinityRules, kExistingPodsRules };
inline const std::array<std::string, 4> kAffinityReasons = {
    "node(s) didn't match pod affinity/anti-affinity",
    "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
};
constexpr Verdict fails(AffinityReason reason) {
  return Verdict::of(reason == kAffinityRules ? Fit::kUnresolvable : Fit::kUnschedulable,
                     std::uint64_t{1} << kNotMatched | std::uint64_t{1} << reason);
}

/// Domains by topology key; those that are marked are not 0.
using MarkedDomains = DomainsByKey<std::uint8_t>;
/// Whether a node is in a marked domain of any key.
bool in_any(const MarkedDomains& domains, NodeId node);

/// The domains that pods which run keep free of this pod.
MarkedDomains domains_of_existing_anti_affinity(const Request& request);

/// The pods that match all of the terms, which are not empty. An invalid selector matches nothing.
PodQuery all_of(const std::vector<AffinityTerm>& terms);

/// For a pod about which upstream has no metadata (metadata.h); @return null where it fits everywhere.
std::unique_ptr<const Predicate> inter_pod_affinity_slow(const Request& request);

}  // namespace winnow::predicates
