// What preferred (anti-)affinity adds up to, by domain, for rules of both generations.
#pragma once

#include "cluster/rule/domains.h"
#include "cluster/state/affinity_term.h"

namespace winnow::priorities {

/// Sums of weights by topology key and domain.
using AffinityWeights = DomainsByKey<std::int64_t>;

/// What one pod that matches a preferred term adds; upstream turns the sign in 32 bits.
std::int64_t signed_weight(const AffinityTerm& term);

/// Each of the pods adds the weight to its node's domain. @return whether one of them is in a domain.
bool add(AffinityWeights& weights, const AffinityTerm& term, std::span<const PodsOnNode> pods,
         std::int64_t weight);
/// @param pods  how many, by node id.
bool add(AffinityWeights& weights, const AffinityTerm& term, const std::vector<std::int32_t>& pods,
         std::int64_t weight);

/// Adds to out[i] the sums of the domains that nodes[i] is in.
void add_sums(const AffinityWeights& weights, std::span<const NodeId> nodes, std::span<std::int64_t> out);

}  // namespace winnow::priorities
