// The arguments of InterPodAffinity, and sums of (anti-)affinity weights by topology domain.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cluster/rule/pod_affinity.h"

namespace winnow {

struct AffinityTerm;

/// Of the classic InterPodAffinityPriority: what an existing pod's required affinity term adds for a pod that
/// it matches.
struct HardPodAffinity {
  std::int64_t weight = 1;
};

struct InterPodAffinityArgs {
  /// The same for the plugin: 0 to 100.
  std::int64_t hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;
};

}  // namespace winnow

namespace winnow::priorities {

/// Sums of weights by topology key and domain.
using AffinityWeights = DomainsByKey<std::int64_t>;

/// The weight that one pod adds for a preferred term; negative for anti-affinity. As upstream, it is negated
/// in 32 bits.
std::int64_t signed_weight(const AffinityTerm& term);

/// Adds the weight, once for each pod, to the domains of the pods' nodes. @return whether any pod is in a
/// domain.
bool add(AffinityWeights& weights, const AffinityTerm& term, std::span<const PodsOnNode> pods,
         std::int64_t weight);
/// The same. @param pods  how many, by node id.
bool add(AffinityWeights& weights, const AffinityTerm& term, const std::vector<std::int32_t>& pods,
         std::int64_t weight);

/// Adds the sums of the domains that nodes[i] is in to out[i].
void add_sums(const AffinityWeights& weights, std::span<const NodeId> nodes, std::span<std::int64_t> out);

}  // namespace winnow::priorities
