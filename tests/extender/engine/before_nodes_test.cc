// PreFilter of today's plugins, and the choice of a profile for a pod.
#include <doctest/doctest.h>

#include "cluster/rule/arguments.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "predicates/rules.h"
#include "tests/builders.h"

namespace winnow::test::before_nodes_test {
namespace {

using Names = std::vector<std::string>;

/// Refuses the nodes whose names are not listed. With `only` it does so in PreFilter.
class Listed : public Predicate {
 public:
  Listed(const View& view, Names names, bool only, std::string reason)
      : view_(view), names_(std::move(names)), only_(only), reasons_{std::move(reason)} {}
  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      out[i] = Verdict::one(std::ranges::contains(names_, view_.node_name(nodes[i])), Fit::kUnresolvable);
  }
  std::span<const std::string> reasons() const override { return reasons_; }
  const Names* only() const override { return only_ ? &names_ : nullptr; }

 private:
  const View& view_;
  const Names names_;
  const bool only_;
  const Names reasons_;
};

/// Refuses the pod in PreFilter.
template <Fit kFit>
class Refusal : public Predicate {
 public:
  void map(std::span<const NodeId>, std::span<Verdict> out) const override {
    std::ranges::fill(out, Verdict::of(kFit, 1));
  }
  std::span<const std::string> reasons() const override {
    static const Names kReasons = {kFit == Fit::kError ? "broken" : "not this pod"};
    return kReasons;
  }
  bool refuses_pod() const override { return true; }
};

/// Makes a Listed. The argument's labels are the names of the nodes; `presence` selects PreFilter.
std::unique_ptr<const Predicate> listed(const Request& request, const Arguments& arguments) {
  const auto& given = arguments.get<LabelsPresence>();
  return std::make_unique<Listed>(request.view, given.labels, given.presence,
                                  given.presence ? "not among the few" : "not listed");
}
template <Fit kFit>
std::unique_ptr<const Predicate> refusal(const Request&, const Arguments&) {
  return std::make_unique<Refusal<kFit>>();
}

ConfiguredPredicate only(Names names) { return {"Only", listed, LabelsPresence{std::move(names), true}}; }
ConfiguredPredicate fits(Names names) { return {"Fits", listed, LabelsPresence{std::move(names), false}}; }
const ConfiguredPredicate kRefuses = {"Refuses", refusal<Fit::kUnresolvable>, {}};
const ConfiguredPredicate kBreaks = {"Breaks", refusal<Fit::kError>, {}};

/// The verdicts on nodes a, b and c ("fits", or the rule and its reason), and the error, if any.
struct Answer {
  Names nodes;
  std::string error;
  bool operator==(const Answer&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  for (const std::string& node : answer.nodes) out << node << "; ";
  return out << answer.error;
}

Answer ask(std::vector<ConfiguredPredicate> predicates, bool all_rules = false,
           std::vector<std::size_t> order = {}) {
  State state(State::Options{.generation = Generation::kToday});
  for (const char* name : {"a", "b", "c"}) state.set_node(node(name));
  RuleSet rules{.generation = Generation::kToday, .predicates = std::move(predicates)};
  rules.pre_filter_order = std::move(order);
  Workers workers(0);
  PassTimes times;
  const View view(state);
  const Pod pod;
  std::vector<NodeId> nodes;
  for (const char* name : {"a", "b", "c"}) nodes.push_back(view.find_node(name));
  const Filtered filtered = Engine(rules, workers).filter({pod, view, nodes}, all_rules, times);
  Answer answer;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    answer.nodes.push_back(
        filtered.fits(i) ? "fits"
                         : rules.predicates[filtered.failed_by[i]].name + ": " +
                               std::string(filtered.reasons(filtered.failed_by[i], filtered.verdict[i])[0]));
  answer.error = filtered.error().value_or("");
  return answer;
}

}  // namespace

TEST_CASE("what is said before the nodes comes first, whatever the order of the rules") {
  const std::string few = "Only: not among the few", unlisted = "Fits: not listed",
                    not_this = "Refuses: not this pod";
  for (const bool all_rules : {false, true}) {
    CAPTURE(all_rules);
    CHECK(ask({fits({"a"}), only({"a", "b"})}, all_rules) == Answer{{"fits", unlisted, few}, ""});
    CHECK(ask({fits({"a"}), kRefuses}, all_rules) == Answer{{not_this, not_this, not_this}, ""});
    CHECK(ask({only({"a"}), kRefuses}, all_rules) == Answer{{not_this, not_this, not_this}, ""});
    CHECK(ask({fits({}), kBreaks}, all_rules).error == "running PreFilter plugin \"Breaks\": broken");
    // Sets of names with an empty intersection end PreFilter: the rule that would fail is not asked.
    CHECK(ask({only({"a"}), only({"b"}), kBreaks}, all_rules) == Answer{{few, few, few}, ""});
    CHECK(ask({only({"unknown"}), kRefuses}, all_rules) == Answer{{not_this, not_this, not_this}, ""});
    CHECK(ask({only({"a"}), kBreaks, kRefuses}, all_rules, {2, 1, 0}) ==
          Answer{{not_this, not_this, not_this}, ""});
  }
}

TEST_CASE("a rule may have lost what it says before the nodes, or of each node") {
  const auto changed = [](ConfiguredPredicate rule, bool pre_filters, bool filters_too) {
    rule.pre_filters = pre_filters;
    rule.filters = filters_too;
    return rule;
  };
  const std::string few = "Only: not among the few", unlisted = "Fits: not listed";
  CHECK(ask({fits({"b"}), changed(only({"a"}), false, true)}) == Answer{{unlisted, few, unlisted}, ""});
  CHECK(ask({changed(only({"a"}), true, false)}) == Answer{{"fits", few, few}, ""});
  CHECK(ask({changed(fits({"a"}), true, false)}) == Answer{{"fits", "fits", "fits"}, ""});
  CHECK(ask({changed(kBreaks, false, true)}).error == "running \"Breaks\" filter plugin: broken");
}

TEST_CASE("a rule is told that it may not speak before the nodes") {
  const auto told = [](const Request& request, const Arguments&) -> std::unique_ptr<const Predicate> {
    if (request.pre_filters) return std::make_unique<Refusal<Fit::kUnresolvable>>();
    return nullptr;
  };
  ConfiguredPredicate rule{"Told", told, {}};
  CHECK(ask({rule}).nodes.front() == "Told: not this pod");
  rule.pre_filters = false;
  CHECK(ask({rule}) == Answer{{"fits", "fits", "fits"}, ""});
}

namespace {

class Scores final : public Priority {
 public:
  explicit Scores(std::int64_t score) : score_(score) {}
  void map(std::span<const NodeId>, std::span<std::int64_t> out) const override {
    std::ranges::fill(out, score_);
  }

 private:
  const std::int64_t score_;
};
using Bound = std::expected<std::unique_ptr<const Priority>, std::string>;
template <std::int64_t kScore>
Bound scores(const Request&, const Arguments&) {
  return std::make_unique<Scores>(kScore);
}
Bound fails(const Request&, const Arguments&) { return std::unexpected("broken"); }

std::expected<Scored, ScoringError> prioritize(std::vector<ConfiguredPriority> priorities) {
  State state(State::Options{.generation = Generation::kToday});
  state.set_node(node("a"));
  RuleSet rules{.generation = Generation::kToday};
  rules.priorities = std::move(priorities);
  Workers workers(0);
  PassTimes times;
  const View view(state);
  const Pod pod;
  const std::vector<NodeId> nodes = view.all_nodes();
  return Engine(rules, workers).prioritize({pod, view, nodes}, /*keep_raw=*/false, times);
}

}  // namespace

TEST_CASE("today's scores are 0 to 100, and errors say at which point of the framework they come") {
  const auto at_score = [](bool pre_score) {
    return ConfiguredPriority{"Broken", fails, FailsWith{"broken", pre_score}};
  };
  CHECK(prioritize({{"Most", scores<100>, {}, 2}, {"None", scores<0>}})->totals ==
        std::vector<std::int64_t>{200});
  CHECK(prioritize({})->totals == std::vector<std::int64_t>{0});
  CHECK(prioritize({{"Most", scores<100>}, {"Over", scores<101>}}).error().text ==
        "applying score defaultWeights on Score plugins: plugin \"Over\" returns an invalid score 101, it "
        "should in "
        "the range of [0, 100] after normalizing");
  CHECK(prioritize({{"Under", scores<-1>}})
            .error()
            .text.contains("plugin \"Under\" returns an invalid score -1,"));
  CHECK(prioritize({{"Broken", fails}}).error().text == "running PreScore plugin \"Broken\": broken");
  CHECK(prioritize({at_score(true)}).error().text == "running PreScore plugin \"Broken\": broken");
  CHECK(prioritize({at_score(false)}).error().text ==
        "running Score plugins: plugin \"Broken\" failed with: broken");
}

TEST_CASE("a plugin at PreScore alone can fail the pod and scores nothing") {
  ConfiguredPriority rule{"Most", scores<100>};
  rule.scores = false;
  CHECK(prioritize({rule})->totals == std::vector<std::int64_t>{0});
  rule.bind = fails;
  CHECK(prioritize({rule}).error().text == "running PreScore plugin \"Most\": broken");
}

TEST_CASE("a pod's engine is its profile's") {
  std::vector<RuleSet> sets(2);
  sets[0] = {
      .generation = Generation::kToday, .scheduler_name = "default-scheduler", .predicates = {kRefuses}};
  sets[1] = {.generation = Generation::kToday, .scheduler_name = "batch", .predicates = {kBreaks, kRefuses}};
  Workers workers(0);
  const Engines engines(sets, workers);
  Pod asked;
  CHECK(&engines.find(asked)->rules() == &sets[0]);
  asked.spec.scheduler_name = "batch";
  CHECK(&engines.find(asked)->rules() == &sets[1]);
  CHECK(engines.predicate_names() == Names{"Refuses", "Breaks"});
  CHECK(engines.predicate_index(*engines.find(asked), 0) == 1);
  CHECK(engines.predicate_index(*engines.find(asked), 1) == 0);
  asked.spec.scheduler_name = "other";
  CHECK(engines.find(asked) == nullptr);
  CHECK(no_profile_error(asked) == "profile not found for scheduler name \"other\"");
  sets[0].scheduler_name = "";
  CHECK(Engines(sets, workers).find(asked) != nullptr);
}

}  // namespace winnow::test::before_nodes_test
