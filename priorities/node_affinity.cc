// NodeAffinityPriority: the sum of the weights of the pod's preferred node affinity terms that match the
// node, scaled so that the best node gets 10. A term without expressions matches nothing. As upstream,
// matchFields are ignored, and an invalid term fails the call.
// Upstream: priorities/node_affinity.go v1.16.15.
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority node_affinity;

namespace {

class SumsWeights final : public Priority {
 public:
  SumsWeights(std::vector<WeightedNodes> terms, std::int64_t max) : terms_(std::move(terms)), max_(max) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    for (const WeightedNodes& term : terms_)
      for (std::size_t i = 0; i < nodes.size(); ++i)
        if (term.matcher.matches(nodes[i])) out[i] += term.weight;
  }
  void reduce(std::span<const NodeId>, std::span<std::int64_t> scores) const override {
    normalize(scores, max_, /*reversed=*/false);
  }

 private:
  const std::vector<WeightedNodes> terms_;
  const std::int64_t max_;
};

}  // namespace

std::unique_ptr<const Priority> sums_weights(std::vector<WeightedNodes> terms, std::int64_t max) {
  return std::make_unique<SumsWeights>(std::move(terms), max);
}

BoundPriority node_affinity(const Request& request, const Arguments&) {
  const std::optional<Affinity>& affinity = request.pod.spec.affinity;
  if (!affinity || !affinity->node_affinity) return nullptr;
  std::vector<WeightedNodes> terms;
  for (const PreferredSchedulingTerm& preferred : affinity->node_affinity->preferred) {
    if (preferred.weight == 0) continue;
    const auto selector = parse_node_requirements(preferred.preference.match_expressions);
    // Upstream meets the error when it scores a node. Without nodes to score there is no error.
    if (!selector && !request.nodes.empty()) return std::unexpected(selector.error());
    if (selector) terms.push_back({NodeMatcher(request.view, *selector), preferred.weight});
  }
  if (terms.empty()) return nullptr;
  return sums_weights(std::move(terms), kMaxClassicScore);
}

}  // namespace winnow::priorities
