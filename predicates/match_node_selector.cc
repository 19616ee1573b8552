// MatchNodeSelector: the node's labels match the pod's nodeSelector and its required node affinity.
// Upstream: predicates.go PodMatchesNodeSelectorAndAffinityTerms v1.16.15.
#include "cluster/rule/node_matcher.h"
#include "predicates/rules.h"

namespace winnow::predicates {
namespace {

class MatchNodeSelector final : public OneReason<MatchNodeSelector> {
 public:
  /// @param terms  ORed; absent: every node passes.
  MatchNodeSelector(const View& view, const Selector& node_selector, const NodeSelector* required)
      : OneReason(Fit::kUnresolvable, "node(s) didn't match node selector"),
        node_selector_(view, node_selector),
        has_terms_(required != nullptr) {
    if (required)
      for (const NodeSelectorTerm& term : required->terms) terms_.emplace_back(view, term);
  }

  bool fits(NodeId node) const {
    if (!node_selector_.matches(node)) return false;
    return !has_terms_ ||
           std::ranges::any_of(terms_, [&](const NodeMatcher& term) { return term.matches(node); });
  }

 private:
  const NodeMatcher node_selector_;
  const bool has_terms_;
  std::vector<NodeMatcher> terms_;
};

const NodeSelector* required_affinity(const Pod& pod) {
  if (!pod.spec.affinity || !pod.spec.affinity->node_affinity) return nullptr;
  const std::optional<NodeSelector>& required = pod.spec.affinity->node_affinity->required;
  return required ? &*required : nullptr;
}

}  // namespace

std::unique_ptr<const Predicate> match_node_selector(const Request& request, const Arguments&) {
  // An invalid key or value makes v1.16's nodeSelector match every node (SelectorFromSet).
  const Selector node_selector = selector_from_set_v116(request.pod.spec.node_selector);
  const NodeSelector* required = required_affinity(request.pod);
  if (node_selector.is_everything() && !required) return nullptr;
  return std::make_unique<MatchNodeSelector>(request.view, node_selector, required);
}

}  // namespace winnow::predicates
