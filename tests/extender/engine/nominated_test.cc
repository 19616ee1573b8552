#include "extender/engine/nominated.h"

#include <doctest/doctest.h>

#include "cluster/state/overlay.h"
#include "extender/engine/engine.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "tests/ask.h"
#include "tests/builders.h"
#include "tests/extender/engine/rules_and_pods.h"

namespace winnow::test {
namespace {

Pod waits(PodBuilder builder, std::optional<std::int32_t> priority, const std::string& node = "n") {
  builder.object().spec.priority = priority;
  builder.object().status.nominated_node_name = node;
  return builder;
}
Pod asks(PodBuilder builder, std::optional<std::int32_t> priority = {}) {
  builder.uid("asked").object().spec.priority = priority;
  return builder;
}

/// The verdict on node "n", written as in the tables of rules.
std::string ask(Generation generation, std::string_view rule, const Pod& asked, const std::vector<Pod>& pods,
                bool all_rules) {
  State state({Accounting::kToday, false, generation});
  state.set_node(node("n").cpu("4").pods("10").label("zone", "a"));
  state.set_node(node("m").cpu("4").pods("10").label("zone", "b"));
  for (const Pod& pod : pods) state.set_pod(pod);
  const RuleSet rules = rules_named(generation, {rule});
  Workers workers(0);
  const Engine engine(rules, workers);
  const View view(state);
  const std::vector<NodeId> nodes = {view.find_node("n"), view.find_node("m")};
  PassTimes times;
  const Filtered filtered = engine.filter({asked, view, nodes}, all_rules, times);
  CHECK(filtered.fits(1));
  if (all_rules) CHECK(filtered.matrix[0] == filtered.verdict[0]);
  std::string text = filtered.fits(0) ? "fits" : "";
  if (!filtered.fits(0))
    for (const std::string_view reason : filtered.reasons(0, filtered.verdict[0])) text += reason;
  return text;
}

struct Row {
  std::string sentence;
  std::string_view today, classic;  ///< The rules.
  Pod asked;
  std::vector<Pod> pods;
  std::string says_today, says_classic;
};

}  // namespace

TEST_CASE("pods of no lower priority that wait for a node count there, in two passes") {
  const std::string cpu = "Insufficient cpu";
  const std::string forbidden = "node(s) didn't match pod anti-affinity rules";
  const std::string taken = "node(s) didn't satisfy existing pods anti-affinity rules";
  const std::string no_friend = "node(s) didn't match pod affinity rules";
  const std::string classic = "node(s) didn't match pod affinity/anti-affinity";
  const Row rows[] = {
      {"equal priority, both absent",
       "NodeResourcesFit",
       "PodFitsResources",
       asks(pod("p").cpu("2")),
       {waits(pod("w").cpu("3"), {})},
       cpu,
       cpu},
      {"higher",
       "NodeResourcesFit",
       "PodFitsResources",
       asks(pod("p").cpu("2"), 1),
       {waits(pod("w").cpu("3"), 2)},
       cpu,
       cpu},
      {"lower",
       "NodeResourcesFit",
       "PodFitsResources",
       asks(pod("p").cpu("2"), 1),
       {waits(pod("w").cpu("3"), {})},
       "fits",
       "fits"},
      {"the pod itself",
       "NodeResourcesFit",
       "PodFitsResources",
       asks(pod("p").cpu("3")),
       {waits(pod("p").uid("asked").cpu("3"), {})},
       "fits",
       "fits"},
      {"for another node",
       "NodeResourcesFit",
       "PodFitsResources",
       asks(pod("p").cpu("2")),
       {waits(pod("w").cpu("1"), {}, "m")},
       "fits",
       "fits"},
      {"what the pod wants to be close to only waits: the second pass fails",
       "InterPodAffinity",
       "MatchInterPodAffinity",
       asks(pod("p").joins(pods_with({{"app", "w"}}, "zone"))),
       {pod("r").label("app", "w").on("m"), waits(pod("w").label("app", "w"), {})},
       no_friend,
       classic + no_friend},
      {"the pod keeps away from one that waits: v1.16 does not see it",
       "InterPodAffinity",
       "MatchInterPodAffinity",
       asks(pod("p").avoids(pods_with({{"app", "w"}}, "zone"))),
       {waits(pod("w").label("app", "w"), {})},
       forbidden,
       "fits"},
      {"one that waits keeps away from the pod: today's plugin has been skipped",
       "InterPodAffinity",
       "MatchInterPodAffinity",
       asks(pod("p").label("app", "p")),
       {waits(pod("w").avoids(pods_with({{"app", "p"}}, "zone")), {})},
       "fits",
       classic + taken},
      {"the same, and the plugin has something to say",
       "InterPodAffinity",
       "MatchInterPodAffinity",
       asks(pod("p").label("app", "p").avoids(pods_with({{"app", "nobody"}}, "zone"))),
       {waits(pod("w").avoids(pods_with({{"app", "p"}}, "zone")), {})},
       taken,
       classic + taken},
      {"host ports",
       "NodePorts",
       "PodFitsHostPorts",
       asks(pod("p").container().host_port(80)),
       {waits(pod("w").container().host_port(80), {})},
       "node(s) didn't have free ports for the requested pod ports",
       "node(s) didn't have free ports for the requested pod ports"},
  };
  for (const Row& row : rows)
    for (const bool all_rules : {false, true}) {
      CAPTURE(row.sentence);
      CAPTURE(all_rules);
      CHECK(ask(Generation::kToday, row.today, row.asked, row.pods, all_rules) == row.says_today);
      CHECK(ask(Generation::kClassic, row.classic, row.asked, row.pods, all_rules) == row.says_classic);
    }
}

TEST_CASE("a pod that the view has on the node already is not counted twice") {
  State state(kPlugins);
  state.set_node(node("n").cpu("4").pods("10"));
  const Pod waiting = waits(pod("w").cpu("2"), {});
  state.set_pod(waiting);
  const Pod asked = asks(pod("p").cpu("2"));
  CHECK(promised_pods(View(state), asked, "n").size() == 1);
  CHECK(promised_pods(View(state), asked, "m").empty());
  Overlay assumed(state);
  Pod placed = waiting;
  placed.spec.node_name = "n";
  assumed.add_pod(placed);
  CHECK(promised_pods(View(state, &assumed), asked, "n").empty());
}

TEST_CASE("what is lacking beside nominated pods is named like what is lacking without them") {
  Pod asked = asks(pod("asked").container());
  Pod waiting = waits(pod("waiting").container(), 5);
  NodeBuilder offers = node("n").pods("10");
  std::string all;
  for (int i = 100; i < 200; ++i) {
    const std::string name = "example.com/r" + std::to_string(i);
    asked.spec.containers[0].resources.requests[name] = quantity("1");
    waiting.spec.containers[0].resources.requests[name] = quantity("1");
    offers.offers(name, "1");
    if (i < 132) all += "Insufficient " + name;
  }
  all += "and 68 more reasons";
  for (const Generation generation : {Generation::kClassic, Generation::kToday}) {
    const bool is_today = generation == Generation::kToday;
    CAPTURE(is_today);
    State state({Accounting::kToday, false, generation});
    state.set_node(offers);
    state.set_pod(waiting);
    const RuleSet rules = rules_named(generation, {is_today ? "NodeResourcesFit" : "GeneralPredicates"});
    Workers workers(0);
    const Engine engine(rules, workers);
    const View view(state);
    const NodeId node = view.find_node("n");
    PassTimes times;
    const Filtered filtered = engine.filter({asked, view, {&node, 1}}, /*all_rules=*/false, times);
    REQUIRE_FALSE(filtered.fits(0));
    std::string text;
    for (const std::string_view reason : filtered.reasons(0, filtered.verdict[0])) text += reason;
    CHECK(text == all);
  }
}

namespace {

/// Asks EvenPodsSpread of v1.16 about node "n". @return the reasons; none: it fits.
std::vector<std::string> spread_says(const Pod& asked, const std::vector<Pod>& pods) {
  State state({Accounting::kToday, false, Generation::kClassic});
  state.set_node(node("n").cpu("4").pods("10").label("zone", "a"));
  state.set_node(node("m").cpu("4").pods("10").label("zone", "b"));
  for (const Pod& pod : pods) state.set_pod(pod);
  const RuleSet rules = rules_named(Generation::kClassic, {"EvenPodsSpread"});
  Workers workers(0);
  const View view(state);
  const NodeId node = view.find_node("n");
  PassTimes times;
  const Filtered filtered =
      Engine(rules, workers).filter({asked, view, {&node, 1}}, /*all_rules=*/false, times);
  std::vector<std::string> said;
  if (!filtered.fits(0))
    for (const std::string_view reason : filtered.reasons(0, filtered.verdict[0])) said.emplace_back(reason);
  return said;
}

}  // namespace

TEST_CASE("v1.16 counts a nominated pod for the spread constraints before the first invalid selector alone") {
  const auto spreading = [](const LabelSelector& second) {
    const LabelSelector web = selects({{"app", "web"}});
    return pod("p").spreads("zone", web, 1).spreads("zone", second).spreads("zone", web, 1);
  };
  const Pod waiting = waits(pod("w").label("app", "web"), {});
  const std::vector<std::string> refused = {"node(s) didn't match pod topology spread constraints"};
  const std::vector<std::string> invalid = {kInvalidSelectorError};
  // A third constraint would count the pod twice, and with the first make the zone too full.
  CHECK(spread_says(asks(spreading(selects({{"app", "other"}}))), {waiting}) == refused);
  CHECK(spread_says(asks(spreading(invalid_selector())), {waiting}) == invalid);
  PodBuilder elsewhere = spreading(invalid_selector());
  elsewhere.object().spec.node_selector = {{"zone", "b"}};
  CHECK(spread_says(asks(elsewhere), {waiting}) == invalid);
}

TEST_CASE("v1.16 has no metadata in a dry run where it had none before") {
  State state({Accounting::kToday, false, Generation::kClassic});
  state.set_node(node("n").cpu("4").pods("10").label("zone", "a"));
  PodAffinityTerm broken = pods_with({}, "zone");
  broken.label_selector = invalid_selector();
  state.set_pod(pod("odd").avoids(broken).on("n"));
  const Pod asked = asks(pod("p").spreads("zone", selects({{"app", "web"}}), 1));
  const RuleSet rules = rules_named(Generation::kClassic, {"EvenPodsSpread"});
  Workers workers(0);
  const Engine engine(rules, workers);
  const View view(state);
  const NodeId node = view.find_node("n");
  const Filtered begun = engine.begin({asked, view, {&node, 1}});
  Overlay left(state);
  left.remove_pod("default", "odd");
  std::vector<std::string> why;
  CHECK_FALSE(engine.fits_after(begun, asked, view, left, "n", &why));
  CHECK(why == std::vector<std::string>{"metadata not pre-computed for EvenPodsSpreadPredicate"});
  CHECK(engine.fits_after(begun, asked, View(state, &left), left, "n"));
}

}  // namespace winnow::test
