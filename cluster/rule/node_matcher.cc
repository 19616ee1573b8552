#include "cluster/rule/node_matcher.h"

#include <algorithm>
#include <array>

#include "cluster/api/node.h"
#include "cluster/api/selector.h"
#include "cluster/state/dictionaries.h"

namespace winnow {

ToleratedTaints::ToleratedTaints(const View& view, const std::vector<Toleration>& tolerations,
                                 std::initializer_list<std::string_view> effects)
    : taints_(view.column(&NodeTable::taints)) {
  const auto& sets = view.names().taints;
  Tolerations tolerated;
  for (const Toleration& toleration : tolerations) tolerated.add(toleration);
  sets_.resize(sets.capacity());
  for (std::uint32_t id = 0; id < sets.capacity(); ++id) {
    sets_[id] = std::ranges::all_of(sets[id], [&](const Taint& taint) {
      return !std::ranges::contains(effects, taint.effect) || tolerated.tolerate(taint);
    });
    all_ = all_ && sets_[id];
  }
}

NodeMatcher::NodeMatcher(const View& view, const Selector& selector)
    : view_(view), nothing_(selector.is_nothing()) {
  for (const Requirement& requirement : selector.requirements()) {
    Test test{view.label(requirement.key), requirement.op, {}, requirement.bound};
    for (const std::string& value : requirement.values)
      if (const Symbol symbol = view.symbol(value); symbol != kNone) test.values.push_back(symbol);
    std::ranges::sort(test.values);
    tests_.push_back(std::move(test));
  }
}

NodeMatcher::NodeMatcher(const View& view, const NodeSelectorTerm& term) : NodeMatcher(view, Selector()) {
  for (const SelectorRequirement& field : term.match_fields) add_field(field);
  if (term.match_expressions.empty()) {
    // Without expressions the fields alone decide; a term without either matches no node.
    nothing_ = nothing_ || term.match_fields.empty();
    return;
  }
  const std::expected<Selector, std::string> selector = parse_node_requirements(term.match_expressions);
  if (!selector) {
    nothing_ = true;
    return;
  }
  NodeMatcher labels(view, *selector);
  nothing_ = nothing_ || labels.nothing_;
  tests_ = std::move(labels.tests_);
}

/// As match_fields(), which is the same for one node.
void NodeMatcher::add_field(const SelectorRequirement& field) {
  const bool is_in = field.op == "In";
  if ((!is_in && field.op != "NotIn") || field.values.size() != 1) {
    nothing_ = true;
    return;
  }
  const std::string& value = field.values.front();
  if (field.key != "metadata.name")
    nothing_ = nothing_ || value.empty() != is_in;  // Any other field reads as empty.
  else if (!is_in)
    other_names_.insert(value);
  else if (!name_)
    name_ = value;
  else
    nothing_ = nothing_ || *name_ != value;
}

namespace {

/// Most lists are short, and then a search takes longer than to compare all.
constexpr std::size_t kShort = 8;

bool has(const std::vector<Symbol>& sorted, Symbol value) {
  if (sorted.size() > kShort) return std::ranges::binary_search(sorted, value);
  for (const Symbol one : sorted)
    if (one == value) return true;
  return false;
}

}  // namespace

bool NodeMatcher::holds(const Test& test, NodeId node) const {
  const Symbol value = test.value[node];
  switch (test.op) {
    case Operator::kIn:
      return value != kNone && has(test.values, value);
    case Operator::kNotIn:
      return value == kNone || !has(test.values, value);
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

// The operator is told apart once, and not for each node. One value, as most tests have, is compared without
// a loop.
void NodeMatcher::keep_holding(const Test& test, std::span<const NodeId> nodes,
                               std::span<std::uint8_t> marks) const {
  const auto keep = [&](const auto& holds) {
    if (const Symbol* const values = test.value.flat())
      for (std::size_t i = 0; i < nodes.size(); ++i) marks[i] &= holds(values[nodes[i]]);
    else
      for (std::size_t i = 0; i < nodes.size(); ++i) marks[i] &= holds(test.value[nodes[i]]);
  };
  // A node without the label has no symbol, and so none of the values.
  const bool in = test.op == Operator::kIn, exists = test.op == Operator::kExists;
  if ((in || test.op == Operator::kNotIn) && test.values.size() == 1)
    keep([in, only = test.values.front()](Symbol value) { return (value == only) == in; });
  else if (in || test.op == Operator::kNotIn)
    keep([in, &test](Symbol value) { return has(test.values, value) == in; });
  else if (exists || test.op == Operator::kDoesNotExist)
    keep([exists](Symbol value) { return (value != kNone) == exists; });
  else
    for (std::size_t i = 0; i < nodes.size(); ++i) marks[i] = marks[i] != 0 && holds(test, nodes[i]);
}

void NodeMatcher::keep_matching(std::span<const NodeId> nodes, std::span<std::uint8_t> marks) const {
  if (nothing_) std::ranges::fill(marks, std::uint8_t{0});
  for (const Test& test : tests_) keep_holding(test, nodes, marks);
  if (!name_ && other_names_.empty()) return;
  for (std::size_t i = 0; i < nodes.size(); ++i) marks[i] = marks[i] != 0 && matches(nodes[i]);
}

bool NodeMatcher::matches(NodeId node) const {
  if (nothing_) return false;
  for (const Test& test : tests_)
    if (!holds(test, node)) return false;
  if (!name_ && other_names_.empty()) return true;
  const std::string_view name = view_.node_name(node);
  return (!name_ || *name_ == name) && !other_names_.contains(name);
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

void PodNodeMatcher::keep_matching(std::span<const NodeId> nodes, std::span<std::uint8_t> marks) const {
  if (!selects_all_) node_selector_.keep_matching(nodes, marks);
  if (!has_terms_) return;
  if (terms_.size() == 1) return terms_.front().keep_matching(nodes, marks);
  std::array<std::uint8_t, kNodesPerBlock> any{};
  for (const NodeMatcher& term : terms_) {
    std::array<std::uint8_t, kNodesPerBlock> here;
    here.fill(1);
    term.keep_matching(nodes, std::span(here).first(nodes.size()));
    for (std::size_t i = 0; i < nodes.size(); ++i) any[i] |= here[i];
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) marks[i] &= any[i];
}

bool PodNodeMatcher::matches(NodeId node) const {
  if (!selects_all_ && !node_selector_.matches(node)) return false;
  return !has_terms_ ||
         std::ranges::any_of(terms_, [&](const NodeMatcher& term) { return term.matches(node); });
}

}  // namespace winnow
