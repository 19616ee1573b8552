// The arguments of InterPodAffinity, and sums of (anti-)affinity weights by topology domain.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "cluster/rule/pod_affinity.h"
#include "cluster/rule/rule.h"

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

// Today's InterPodAffinity.

namespace winnow::priorities::today {

/// Turns sums into scores: 100*(sum - lowest)/(highest - lowest); 0 if all are equal.
/// Upstream: interpodaffinity/scoring.go NormalizeScore v1.37.0.
void reduce_weights(std::span<std::int64_t> scores);

// By what is kept for the pod's class (see KeptSlot).

/// Goes on with what the request's slot holds. @return nothing: that cannot be followed. Null: the rule gives
/// no scores for the pod.
std::optional<std::unique_ptr<const Priority>> affinity_scores_by_kept(const Request& request);
/// Begins to keep; as above. @pre the pod's terms are valid.
std::optional<std::unique_ptr<const Priority>> affinity_scores_to_keep(const Request& request,
                                                                       std::int64_t hard_weight);

}  // namespace winnow::priorities::today
