// NodeAffinityPriority: the sum of the weights of the pod's preferred node affinity terms that match the
// node, scaled so that the best node gets 10. A term without expressions matches nothing. As upstream,
// matchFields are ignored, and an invalid term fails the call.
// Upstream: priorities/node_affinity.go v1.16.15.
#include <algorithm>
#include <array>

#include "cluster/api/selector_errors.h"
#include "cluster/rule/shared_args.h"
#include "priorities/records.h"
#include "priorities/rules.h"

namespace winnow::priorities {

BindPriority node_affinity;

namespace {

class SumsWeights final : public Priority {
 public:
  SumsWeights(std::vector<WeightedNodes> terms, std::int64_t max) : terms_(std::move(terms)), max_(max) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    std::array<std::uint8_t, kNodesPerBlock> marks;
    for (std::size_t begin = 0; begin < nodes.size(); begin += kNodesPerBlock) {
      const auto block = nodes.subspan(begin, std::min(kNodesPerBlock, nodes.size() - begin));
      for (const WeightedNodes& term : terms_) {
        marks.fill(1);
        term.matcher.keep_matching(block, std::span(marks).first(block.size()));
        for (std::size_t i = 0; i < block.size(); ++i) out[begin + i] += marks[i] * term.weight;
      }
    }
  }
  void reduce(std::span<const NodeId>, std::span<std::int64_t> scores) const override {
    normalize(scores, max_, /*reversed=*/false);
  }
  ReducesBy reduces_by() const override { return ReducesBy::kValues; }

 private:
  const std::vector<WeightedNodes> terms_;
  const std::int64_t max_;
};

}  // namespace

std::unique_ptr<const Priority> sums_weights(std::vector<WeightedNodes> terms, std::int64_t max) {
  return std::make_unique<SumsWeights>(std::move(terms), max);
}

namespace {

/// A term, and the fact that a node matches it.
struct ToldTerm {
  NodeMatcher matcher;
  Cause fact;
};

ToldTerm told_term(NodeMatcher matcher, std::string from, std::size_t place, std::int64_t weight) {
  Cause fact{"matchingTerm"};
  fact.with("from", std::move(from)).with("term", static_cast<std::int64_t>(place + 1));
  return {std::move(matcher), fact.with("weight", weight)};
}

/// The terms that a node matches.
std::unique_ptr<const CauseFinder> find_terms(std::vector<ToldTerm> terms) {
  return make_cause_finder([terms = std::move(terms)](NodeId node, std::vector<Cause>& facts) {
    for (const ToldTerm& term : terms)
      if (term.matcher.matches(node)) facts.push_back(term.fact);
  });
}

std::unique_ptr<const CauseFinder> find_matching_terms(const Request& request, const Arguments&) {
  std::vector<ToldTerm> terms;
  const std::optional<Affinity>& affinity = request.pod.spec.affinity;
  if (!affinity || !affinity->node_affinity) return nullptr;
  const std::vector<PreferredSchedulingTerm>& preferred = affinity->node_affinity->preferred;
  for (std::size_t i = 0; i < preferred.size(); ++i)
    if (const auto selector = parse_node_requirements(preferred[i].preference.match_expressions);
        selector && preferred[i].weight != 0)
      terms.push_back(
          told_term(NodeMatcher(request.view, *selector), "nodeAffinity", i, preferred[i].weight));
  return find_terms(std::move(terms));
}

}  // namespace

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

namespace winnow::priorities::today {

// NodeAffinity: the sum of the weights of the preferred terms that match the node, scaled so that the best
// node gets 100. These are the pod's terms and those that the configuration adds. matchFields count too.
// Terms that are empty or have weight 0 are ignored. Any other invalid term of the pod fails the call.
// Upstream: pkg/scheduler/framework/plugins/nodeaffinity/node_affinity.go v1.37.0.

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

std::unique_ptr<const CauseFinder> find_matching_terms(const Request& request, const Arguments& arguments) {
  std::vector<ToldTerm> told;
  const auto add = [&](Terms terms, const char* from) {
    for (std::size_t i = 0; i < terms.size(); ++i)
      if (terms[i].weight != 0)
        told.push_back(told_term(NodeMatcher(request.view, terms[i].preference), from, i, terms[i].weight));
  };
  if (const auto* const configured = arguments.get_if<NodeAffinityArgs>())
    add(preferred(configured->added_affinity), "addedAffinity");
  if (const auto& affinity = request.pod.spec.affinity)
    add(preferred(affinity->node_affinity), "nodeAffinity");
  return find_terms(std::move(told));
}

}  // namespace

BoundPriority node_affinity(const Request& request, const Arguments& arguments) {
  const std::optional<Affinity>& affinity = request.pod.spec.affinity;
  const auto* const configured = arguments.get_if<NodeAffinityArgs>();
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

namespace winnow::priorities {

// The records.

namespace {

constexpr Record kNodeAffinityRecords[] = {
    {.name = "NodeAffinityPriority",
     .origin = RuleOrigin::kClassic,
     .bind = node_affinity,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_matching_terms,
     .by_default = AtGates::kAllGates},
    {.name = "NodeAffinity",
     .origin = RuleOrigin::kToday,
     .bind = today::node_affinity,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = today::find_matching_terms,
     .releases = {{.release = Release::k1_18, .points = points::kScore, .weight = 1},
                  {.release = Release::k1_22, .points = points::kPreScoreAndScore, .weight = 1},
                  {.release = Release::k1_28, .points = points::kPreScoreAndScore, .weight = 2}}},
};

}  // namespace

Records node_affinity_records;

std::span<const Record> node_affinity_records() { return kNodeAffinityRecords; }

}  // namespace winnow::priorities
