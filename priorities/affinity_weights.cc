#include "priorities/affinity_weights.h"

namespace winnow::priorities {

std::int64_t signed_weight(const AffinityTerm& term) {
  if (term.kind != TermKind::kPreferredAntiAffinity) return term.weight;
  return static_cast<std::int32_t>(0u - static_cast<std::uint32_t>(term.weight));
}

bool add(AffinityWeights& weights, const AffinityTerm& term, std::span<const PodsOnNode> pods,
         std::int64_t weight) {
  if (pods.empty()) return false;
  Domains<std::int64_t>& domains = weights[term.topology_key];
  bool any = false;
  for (const PodsOnNode& here : pods) {
    std::int64_t* const sum = domains.at(here.node);
    if (!sum) continue;
    *sum += weight * here.pods;
    any = true;
  }
  return any;
}

bool add(AffinityWeights& weights, const AffinityTerm& term, const std::vector<std::int32_t>& pods,
         std::int64_t weight) {
  std::vector<PodsOnNode> found;
  for (NodeId node = 0; node < pods.size(); ++node)
    if (pods[node] != 0) found.push_back({node, pods[node]});
  return add(weights, term, found, weight);
}

void add_sums(const AffinityWeights& weights, std::span<const NodeId> nodes, std::span<std::int64_t> out) {
  for (const auto& [key, domains] : weights.keys())
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] += domains[nodes[i]];
}

}  // namespace winnow::priorities
