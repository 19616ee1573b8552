#include "extender/engine/engine.h"

#include <doctest/doctest.h>

#include <atomic>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/engine/ruleset.h"
#include "extender/engine/workers.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

/// Judges a node by the number in its name: node-17 by 17.
class ByNumber : public Predicate {
 public:
  using Judge = Verdict (*)(std::uint64_t number);
  ByNumber(const View& view, Judge judge, std::vector<std::string> reasons)
      : view_(view), judge_(judge), reasons_(std::move(reasons)) {}
  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      out[i] = judge_(std::stoull(std::string(view_.node_name(nodes[i]).substr(5))));
    asked_ += nodes.size();
  }
  std::span<const std::string> reasons() const override { return reasons_; }

  static inline std::atomic<std::size_t> asked_ = 0;

 private:
  const View& view_;
  const Judge judge_;
  const std::vector<std::string> reasons_;
};

std::unique_ptr<const Predicate> odd_fail(const Request& request, const Arguments&) {
  return std::make_unique<ByNumber>(
      request.view, [](std::uint64_t n) { return Verdict::one(n % 2 == 0, Fit::kUnschedulable); },
      std::vector<std::string>{"odd"});
}
std::unique_ptr<const Predicate> thirds_fail_twice(const Request& request, const Arguments&) {
  return std::make_unique<ByNumber>(
      request.view,
      [](std::uint64_t n) { return n % 3 == 0 ? Verdict::of(Fit::kUnresolvable, 0b101) : Verdict(); },
      std::vector<std::string>{"first", "not this", "third"});
}
std::unique_ptr<const Predicate> fifths_err(const Request& request, const Arguments&) {
  return std::make_unique<ByNumber>(
      request.view, [](std::uint64_t n) { return Verdict::one(n % 5 != 0, Fit::kError); },
      std::vector<std::string>{"no such volume"});
}
std::unique_ptr<const Predicate> says_nothing(const Request&, const Arguments&) { return nullptr; }

/// Scores a node by a number. reduce() adds the sum over all nodes to each.
class Numbers final : public Priority {
 public:
  Numbers(const View& view, std::int64_t factor) : view_(view), factor_(factor) {}
  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i)
      out[i] = factor_ * std::stoll(std::string(view_.node_name(nodes[i]).substr(5)));
  }
  void reduce(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const override {
    std::int64_t sum = 0;
    for (const std::int64_t score : scores) sum += score;
    for (std::int64_t& score : scores) score += sum + static_cast<std::int64_t>(nodes.size());
  }

 private:
  const View& view_;
  const std::int64_t factor_;
};

using Bound = std::expected<std::unique_ptr<const Priority>, std::string>;
Bound numbers(const Request& request, const Arguments&) { return std::make_unique<Numbers>(request.view, 1); }
Bound tenfold(const Request& request, const Arguments&) {
  return std::make_unique<Numbers>(request.view, 10);
}
Bound nothing_to_score(const Request&, const Arguments&) { return nullptr; }
Bound fails(const Request&, const Arguments&) { return std::unexpected("cannot score"); }

struct Cluster {
  explicit Cluster(int nodes) {
    for (int i = 0; i < nodes; ++i) state.set_node(node("node-" + std::to_string(i)));
    asked = view.emplace(state).all_nodes();
  }
  Request request() const { return {pod, *view, asked}; }

  State state;
  std::optional<View> view;
  std::vector<NodeId> asked;
  Pod pod = test::pod("web");
};

RuleSet filters(std::vector<BindPredicate*> binds) {
  RuleSet rules;
  for (BindPredicate* bind : binds) rules.predicates.push_back({"rule", bind, {}});
  return rules;
}

Filtered filter(const Cluster& cluster, const RuleSet& rules, bool all_rules, unsigned helpers = 0) {
  Workers workers(helpers);
  PassTimes times;
  return Engine(rules, workers).filter(cluster.request(), all_rules, times);
}

std::expected<Scored, ScoringError> prioritize(const Cluster& cluster, const RuleSet& rules,
                                               unsigned helpers = 0) {
  Workers workers(helpers);
  PassTimes times;
  return Engine(rules, workers).prioritize(cluster.request(), /*keep_raw=*/true, times);
}

}  // namespace

TEST_CASE("a node's first failure ends its filtering") {
  const Cluster cluster(7);
  const RuleSet rules = filters({says_nothing, odd_fail, thirds_fail_twice});
  ByNumber::asked_ = 0;
  const Filtered result = filter(cluster, rules, /*all_rules=*/false);
  CHECK(ByNumber::asked_ == 7 + 4);  // The second rule is asked about 0, 2, 4 and 6 only.
  constexpr auto kFits = Filtered::kNobody;
  CHECK(result.failed_by == std::vector<std::uint16_t>{2, 1, kFits, 1, kFits, 1, 2});
  CHECK(result.fits(2));
  CHECK_FALSE(result.fits(6));
  CHECK(result.reasons(2, result.verdict[6]) == std::vector<std::string_view>{"first", "third"});
  CHECK(result.verdict[3].fit() == Fit::kUnschedulable);
  CHECK(result.matrix.empty());
}

TEST_CASE("where all rules are asked, the first failure is the node's and later verdicts are kept") {
  const Cluster cluster(7);
  const RuleSet rules = filters({says_nothing, odd_fail, thirds_fail_twice});
  const Filtered result = filter(cluster, rules, /*all_rules=*/true);
  constexpr auto kFits = Filtered::kNobody;
  CHECK(result.failed_by == std::vector<std::uint16_t>{2, 1, kFits, 1, kFits, 1, 2});
  REQUIRE(result.matrix.size() == 3 * 7);
  CHECK(result.matrix[0 * 7 + 3].fits());
  CHECK(result.matrix[1 * 7 + 3].fit() == Fit::kUnschedulable);
  CHECK(result.matrix[2 * 7 + 3].fit() == Fit::kUnresolvable);
  CHECK(result.verdict[3] == result.matrix[1 * 7 + 3]);
}

TEST_CASE("an error fails the call where upstream would have come to it") {
  const Cluster one(1);  // For node-0 "thirds" fails, and "fifths" is an error.
  CHECK_FALSE(filter(one, filters({thirds_fail_twice, fifths_err}), false).error());
  CHECK_FALSE(filter(one, filters({thirds_fail_twice, fifths_err}), true).error());
  CHECK(filter(one, filters({fifths_err, thirds_fail_twice}), false).error() == "no such volume");
  CHECK(filter(one, filters({fifths_err, thirds_fail_twice}), true).error() == "no such volume");
  RuleSet always = filters({thirds_fail_twice, fifths_err});
  always.always_check_all_predicates = true;
  CHECK(filter(one, always, true).error() == "no such volume");
}

TEST_CASE("one thread and many give the same, for 10,000 nodes") {
  const Cluster cluster(10'000);
  RuleSet rules = filters({odd_fail, says_nothing, thirds_fail_twice});
  for (BindPriority* bind : {numbers, nothing_to_score, tenfold})
    rules.priorities.push_back({"rule", bind, {}, 3, true});
  const Filtered alone = filter(cluster, rules, true, 0);
  const auto scored_alone = prioritize(cluster, rules, 0);
  for (const unsigned helpers : {1u, 3u}) {
    CAPTURE(helpers);
    for (const bool all_rules : {false, true}) {
      const Filtered together = filter(cluster, rules, all_rules, helpers);
      CHECK(together.failed_by == alone.failed_by);
      CHECK(together.verdict == alone.verdict);
      if (all_rules) CHECK(together.matrix == alone.matrix);
    }
    const auto scored = prioritize(cluster, rules, helpers);
    CHECK(scored->raw == scored_alone->raw);
    CHECK(scored->scores == scored_alone->scores);
    CHECK(scored->totals == scored_alone->totals);
  }
}

TEST_CASE("scores are reduced over all nodes, then weighed and summed") {
  const Cluster cluster(3);
  RuleSet rules;
  rules.priorities = {{"numbers", numbers, {}, 2, true},
                      {"nothing", nothing_to_score, {}, 100, true},
                      {"tenfold", tenfold, {}, 1, true}};
  const auto scored = prioritize(cluster, rules);
  REQUIRE(scored);
  CHECK(scored->raw == std::vector<std::int64_t>{0, 1, 2, 0, 0, 0, 0, 10, 20});
  // 0+1+2 = 3, and 3 nodes: each gets 6 more. 0+10+20 = 30: each gets 33 more.
  CHECK(scored->scores.of(0) == std::vector<std::int64_t>{6, 7, 8});
  CHECK(scored->scores.of(1) == std::vector<std::int64_t>{0, 0, 0});
  CHECK(scored->scores.of(2) == std::vector<std::int64_t>{33, 43, 53});
  // 2*6+33, 2*7+43, 2*8+53
  CHECK(scored->totals == std::vector<std::int64_t>{45, 57, 69});
}

TEST_CASE("an error of a priority fails the call; without priorities every node gets 1") {
  const Cluster cluster(2);
  RuleSet rules;
  CHECK(prioritize(cluster, rules)->totals == std::vector<std::int64_t>{1, 1});
  rules.priorities = {{"numbers", numbers, {}, 1, true}, {"fails", fails, {}, 1, true}};
  CHECK(prioritize(cluster, rules).error().text == "cannot score");
  CHECK(prioritize(cluster, rules).error().rule == 1);
  rules.priorities.push_back({"fails too", fails, {}, 1, true});
  CHECK(prioritize(cluster, rules).error().rule == 1);
  CHECK(prioritize(Cluster(0), filters({}))->totals.empty());
}

TEST_CASE("a pod's claims must exist before any predicate is asked") {
  Cluster cluster(1);
  const Pod mounts = test::pod("db").in("shop").mounts(claim("data"));
  CHECK(basic_checks(mounts, *cluster.view) == "persistentvolumeclaim \"data\" not found");
  PersistentVolumeClaim data;
  data.metadata = meta("elsewhere", "data");
  cluster.state.volumes.set(data);
  CHECK(basic_checks(mounts, *cluster.view) == "persistentvolumeclaim \"data\" not found");
  data.metadata.namespace_ = "shop";
  cluster.state.volumes.set(data);
  CHECK_FALSE(basic_checks(mounts, *cluster.view));
  data.metadata.deleting = true;
  cluster.state.volumes.set(data);
  CHECK(basic_checks(mounts, *cluster.view) == "persistentvolumeclaim \"data\" is being deleted");
  CHECK_FALSE(basic_checks(test::pod("web").mounts(gce_disk("data")), *cluster.view));
}

}  // namespace winnow::test
