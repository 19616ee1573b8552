// NodeAffinity: the sum of the weights of the preferred terms that match the node, scaled so that the best
// node gets 100. These are the pod's terms and those that the configuration adds. matchFields count too.
// Terms that are empty or have weight 0 are ignored. Any other invalid term of the pod fails the call.
// Upstream: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go v1.37.0.
#include "cluster/api/selector_errors.h"
#include "cluster/rule/arguments.h"
#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority node_affinity;

namespace {

using Terms = std::span<const PreferredSchedulingTerm>;

Terms preferred(const std::optional<NodeAffinity>& affinity) {
  if (!affinity) return {};
  return affinity->preferred;
}

void add_terms(const View& view, Terms terms, std::vector<WeightedNodes>& weighted) {
  for (const PreferredSchedulingTerm& term : terms)
    if (term.weight != 0) weighted.push_back({NodeMatcher(view, term.preference), term.weight});
}

}  // namespace

BoundPriority node_affinity(const Request& request, const Arguments& arguments) {
  const std::optional<Affinity>& affinity = request.pod.spec.affinity;
  const auto* const configured = std::get_if<NodeAffinityArgs>(&arguments);
  const Terms own = affinity ? preferred(affinity->node_affinity) : Terms();
  const Terms added = configured ? preferred(configured->added_affinity) : Terms();
  // Upstream scores only if there are nodes to choose from, and so meets the error only then.
  if (const auto errors = preferred_terms_errors(own); !errors.empty() && !request.nodes.empty())
    return std::unexpected(aggregate(errors));
  if (own.empty() && added.empty()) return nullptr;
  std::vector<WeightedNodes> weighted;
  add_terms(request.view, added, weighted);
  add_terms(request.view, own, weighted);
  return sums_weights(std::move(weighted), kMaxNodeScore);
}

}  // namespace winnow::priorities::today
