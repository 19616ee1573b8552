#include "cluster/rule/node_matcher.h"

#include <algorithm>

namespace winnow {

NodeMatcher::NodeMatcher(const View& view, const Selector& selector)
    : view_(view), nothing_(selector.is_nothing()) {
  for (const Requirement& requirement : selector.requirements()) {
    Test test{view.label(requirement.key), requirement.op, {}, requirement.bound};
    for (const std::string& value : requirement.values)
      if (const Symbol symbol = view.symbol(value); symbol != kNone) test.values.push_back(symbol);
    tests_.push_back(std::move(test));
  }
}

NodeMatcher::NodeMatcher(const View& view, const NodeSelectorTerm& term) : NodeMatcher(view, Selector()) {
  fields_ = term.match_fields;
  if (term.match_expressions.empty()) {
    // Without expressions the fields alone decide; a term without either matches no node.
    nothing_ = fields_.empty();
    return;
  }
  const std::expected<Selector, std::string> selector = parse_node_requirements(term.match_expressions);
  if (!selector) {
    nothing_ = true;
    return;
  }
  NodeMatcher labels(view, *selector);
  nothing_ = labels.nothing_;
  tests_ = std::move(labels.tests_);
}

bool NodeMatcher::holds(const Test& test, NodeId node) const {
  const Symbol value = test.value[node];
  switch (test.op) {
    case Operator::kIn:
      return value != kNone && std::ranges::contains(test.values, value);
    case Operator::kNotIn:
      return value == kNone || !std::ranges::contains(test.values, value);
    case Operator::kExists:
      return value != kNone;
    case Operator::kDoesNotExist:
      return value == kNone;
    case Operator::kGt:
    case Operator::kLt: {
      if (value == kNone) return false;
      const std::optional<std::int64_t> number = parse_int64(view_.text(value));
      return number && (test.op == Operator::kGt ? *number > test.bound : *number < test.bound);
    }
  }
  return false;
}

bool NodeMatcher::matches(NodeId node) const {
  if (nothing_) return false;
  for (const Test& test : tests_)
    if (!holds(test, node)) return false;
  return fields_.empty() || match_fields(fields_, view_.node_name(node));
}

namespace {

// In v1.16 a nodeSelector with an invalid key or value matches every node: its SelectorFromSet gives up then.
Selector node_selector(const PodSpec& pod, Generation generation) {
  return generation == Generation::kToday ? selector_from_set(pod.node_selector)
                                          : selector_from_set_v116(pod.node_selector);
}

}  // namespace

PodNodeMatcher::PodNodeMatcher(const View& view, const PodSpec& pod, Generation generation)
    : selects_all_(node_selector(pod, generation).is_everything()),
      node_selector_(view, node_selector(pod, generation)) {
  if (!pod.affinity || !pod.affinity->node_affinity || !pod.affinity->node_affinity->required) return;
  has_terms_ = true;
  for (const NodeSelectorTerm& term : pod.affinity->node_affinity->required->terms)
    terms_.emplace_back(view, term);
}

bool PodNodeMatcher::matches(NodeId node) const {
  if (!selects_all_ && !node_selector_.matches(node)) return false;
  return !has_terms_ ||
         std::ranges::any_of(terms_, [&](const NodeMatcher& term) { return term.matches(node); });
}

}  // namespace winnow
