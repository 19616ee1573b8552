// Parts that the two variants of the classic MatchInterPodAffinity share.
// Upstream: predicates.go InterPodAffinityMatches and what it calls, v1.16.15.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "predicates/affinity_domains.h"
#include "predicates/rules.h"

namespace winnow::predicates {

/// The reasons' bit numbers. A failure gives kNotMatched and one of the others.
enum AffinityReason : std::uint8_t { kNotMatched, kAffinityRules, kAntiAffinityRules, kExistingPodsRules };
inline const std::array<std::string, 4> kAffinityReasons = {
    "node(s) didn't match pod affinity/anti-affinity",
    "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
};
/// The verdict on a node that fails. Eviction cannot bring what the pod's own affinity asks for.
constexpr Verdict fails(AffinityReason reason) {
  return Verdict::of(reason == kAffinityRules ? Fit::kUnresolvable : Fit::kUnschedulable,
                     std::uint64_t{1} << kNotMatched | std::uint64_t{1} << reason);
}

/// The pods that match all terms. An invalid selector matches nothing. @param terms  at least one.
inline PodQuery all_of(const std::vector<AffinityTerm>& terms) {
  AllQueries all;
  for (const AffinityTerm& term : terms) all.add(term.query());
  return all.take();
}

/// MatchInterPodAffinity for a pod for which upstream has no metadata (see metadata.h). Never null.
std::unique_ptr<const Predicate> inter_pod_affinity_slow(const Request& request);

}  // namespace winnow::predicates
