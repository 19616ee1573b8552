#include "tests/extender/reuse/random_rules.h"

#include <cstddef>
#include <expected>
#include <iterator>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/budget.h"
#include "cluster/rule/expression_args.h"
#include "cluster/rule/rule.h"
#include "predicates/records.h"
#include "priorities/records.h"
#include "tests/ask.h"

namespace winnow::test {
namespace {

/// What the users' own rules of a trial say. Their records say by the arguments what they read.
constexpr std::string_view kFilters[] = {
    "node.requested.cpu + pod.requests.cpu <= 0.9 * node.allocatable.cpu",
    "!has(node.usage) || node.usage.cpu < 2.0",
    "has(node.metadata.labels.zone) || node.pods < 3",
    "!('app' in pod.metadata.labels) || node.podsMatching({'app': pod.metadata.labels['app']}, []) < 2",
    "node.images.size() < 2 || cluster.nodes > 5",
    "node.metadata.?labels.orValue({}).exists(key, key == 'zone') || node.pods < 2",
    "pod.metadata.?labels.orValue({}).size() > 1 ? node.metadata.?labels.orValue({}).size() > 1 : "
    "node.pods < 4",
    "['app', 'db'].exists(name, name in node.images) || node.pods < 3",
};
constexpr std::string_view kScores[] = {
    "has(node.usage) ? 100.0 - 20.0 * node.usage.cpu : 0.0",
    "node.pods * 10",
    "'app' in node.images ? node.images['app'].nodes : 0",
    "has(node.metrics.gpu) ? node.metrics.gpu : -1.0",
    "cluster.pods + node.pods",
    "has(node.usage) ? node.usage.cpu * 10.0 + pod.requests.cpu "
    ": double(node.metadata.?labels.orValue({}).size())",
    "has(node.metrics.gpu) && node.metrics.gpu > 1.0 ? 30.0 : 10.0 * node.requested.cpu",
};
Arguments own_rule(Draws& draws) {
  constexpr std::string_view kNormalize[] = {"none", "linear", "reverse"};
  constexpr std::string_view kOnError[] = {"fit", "refuse", "fail"};
  if (draws.one_in(4))  // Nodes without the label fail the call, as long as they lack it.
    return ExpressionArgs{.name = "Expression/own",
                          .filter = "node.metadata.labels.zone == 'a' || node.pods < 2",
                          .reason = "no",
                          .on_error = "fail"};
  return ExpressionArgs{.name = "Expression/own",
                        .filter = std::string(kFilters[draws.below(std::size(kFilters))]),
                        .reason = "no",
                        .score = std::string(kScores[draws.below(std::size(kScores))]),
                        .normalize = std::string(kNormalize[draws.below(3)]),
                        .on_error = std::string(kOnError[draws.below(3)]),
                        .when = draws.one_in(3) ? "'app' in pod.metadata.labels" : ""};
}
Arguments arguments_of(Draws& draws, std::string_view name, const PolicyArgument* argument) {
  return name == "Expression" ? own_rule(draws) : arguments_for(argument, "disk");
}

// Rules that end a question.

void end_at(EndsEarly place) {
  if (ends_early == place) throw OutOfTime();
}

class EndingPredicate final : public Predicate {
 public:
  void map(std::span<const NodeId>, std::span<Verdict>) const override { end_at(EndsEarly::kAtMap); }
  std::span<const std::string> reasons() const override { return {}; }
  const std::vector<NodeId>* moved() const override { return &kNoNodes; }

 private:
  static inline const std::vector<NodeId> kNoNodes;
};
class EndingPriority final : public Priority {
 public:
  void map(std::span<const NodeId>, std::span<std::int64_t>) const override { end_at(EndsEarly::kAtMap); }
  bool has_reduce() const override { return false; }
};
std::unique_ptr<const Predicate> bind_ending_predicate(const Request&, const Arguments&) {
  end_at(EndsEarly::kAtBind);
  return std::make_unique<EndingPredicate>();
}
std::expected<std::unique_ptr<const Priority>, std::string> bind_ending_priority(const Request&,
                                                                                 const Arguments&) {
  end_at(EndsEarly::kAtBind);
  return std::make_unique<EndingPriority>();
}

/// Adds both somewhere among the rules.
void add_ending_rules(RuleSet& set, Draws& draws) {
  const auto somewhere = [&](auto& rules) {
    return rules.begin() + static_cast<std::ptrdiff_t>(draws.below(rules.size() + 1));
  };
  set.predicates.insert(somewhere(set.predicates), {.name = "Ends", .bind = bind_ending_predicate});
  set.priorities.insert(somewhere(set.priorities), {.name = "Ends", .bind = bind_ending_priority});
}

}  // namespace

RuleSet random_rules(Draws& draws, Generation generation, Accounting accounting) {
  RuleSet set;
  set.generation = generation;
  set.accounting = accounting;
  const bool classic = generation == Generation::kClassic;
  const std::size_t left_out = 2 + draws.below(6);
  for (const predicates::Record& row : classic ? predicates::classic() : predicates::plugins())
    if (row.bind && !draws.one_in(left_out))
      set.predicates.push_back({.name = std::string(row.name),
                                .bind = row.bind,
                                .arguments = arguments_of(draws, row.name, row.argument),
                                .pre_filters = !draws.one_in(12),
                                .filters = !draws.one_in(12)});
  for (const priorities::Record& row : classic ? priorities::classic() : priorities::plugins())
    if (row.bind && !draws.one_in(left_out))
      set.priorities.push_back({.name = std::string(row.name),
                                .bind = row.bind,
                                .arguments = arguments_of(draws, row.name, row.argument),
                                .weight = static_cast<std::int64_t>(1 + draws.below(3))});
  add_ending_rules(set, draws);
  return set;
}

}  // namespace winnow::test
