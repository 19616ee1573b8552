// Of the pods of others a caller is told how many they are.
#include "extender/explain/hidden_pods.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/cause.h"
#include "extender/explain/cause_text.h"
#include "extender/explain/decisions_json.h"
#include "extender/explain/explanation_json.h"
#include "tests/extender/explain/examples.h"
#include "tests/extender/explain/records.h"

namespace winnow::test::hidden_pods_test {
namespace {

using Texts = std::vector<std::string>;

bool sees_shop(std::string_view ns) { return ns == "shop"; }
bool sees_all(std::string_view) { return true; }

/// An explanation with one refusal for this cause.
Explanation explained(Cause cause) {
  FilterEntry refusal = refuses("NodePorts", {"no"});
  refusal.causes = {std::move(cause)};
  return pod("shop/web", {}, {refused("n1", {refusal})});
}

TEST_CASE("names of pods become their number where the caller may not see them") {
  struct Row {
    std::string sentence;
    Cause cause, seen;
    bool hides;
  };
  const Row rows[] = {
      {"a pod of another namespace",
       Cause{"port"}.with("port", std::int64_t{80}).with("heldBy", "bank/vault-0"),
       Cause{"port"}.with("port", std::int64_t{80}).with("heldBy", "1 pod"), true},
      {"a pod that may be seen", Cause{"disk"}.with("heldBy", "shop/db"),
       Cause{"disk"}.with("heldBy", "shop/db"), false},
      {"the pod of an affinity, and where was looked",
       Cause{"affinity"}
           .with("namespaces", Texts{"bank", "shop", "club"})
           .with("with", "bank/vault-0")
           .with("withOn", "n2"),
       Cause{"affinity"}
           .with("namespaces", Texts{"shop", "2 namespaces"})
           .with("with", "1 pod")
           .with("withOn", "n2"),
       true},
      {"the number of pods that are alike is no name",
       Cause{"anti-affinity"}.with("with", "bank/vault-0").with("pods", std::int64_t{3}),
       Cause{"anti-affinity"}.with("with", "1 pod").with("pods", std::int64_t{3}), true},
      {"some of a list", Cause{"nominated"}.with("pods", Texts{"bank/a", "shop/b", "bank/c"}),
       Cause{"nominated"}.with("pods", Texts{"shop/b", "2 pods"}), true},
      {"a claim that holds a device, and its pod",
       Cause{"device"}.with("heldBy", "bank/c").with("pod", "bank/a"),
       Cause{"device"}.with("heldBy", "1 claim").with("pod", "1 pod"), true},
      {"what looks like a name, and is none", Cause{"label"}.with("value", "bank/vault-0"),
       Cause{"label"}.with("value", "bank/vault-0"), false},
      {"a kind that is not known", Cause{"later"}.with("heldBy", "bank/a"),
       Cause{"later"}.with("heldBy", "bank/a"), false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Explanation told = explained(row.cause);
    CHECK(hide_pods(told, sees_shop) == row.hides);
    CHECK(told.nodes[0].filters[0].causes == std::vector{row.seen});
    Explanation all = explained(row.cause);
    CHECK_FALSE(hide_pods(all, sees_all));
    CHECK(all.nodes[0].filters[0].causes == std::vector{row.cause});
    DecisionRecord record = decided("web");
    record.nearest = {{"n1", {{0, {row.cause}}}}};
    CHECK(hide_pods(record, sees_shop) == row.hides);
    CHECK(record.nearest[0].refusals[0].causes == std::vector{row.seen});
  }
}

TEST_CASE("each field that names pods says so in the list of kinds") {
  for (const CauseKind& kind : cause_kinds())
    for (const std::string_view field : {"heldBy", "with"}) {
      CAPTURE(kind.name);
      CAPTURE(field);
      const bool has = std::ranges::contains(kind.fields, field);
      CHECK(has == std::ranges::contains(kind.pods, field));
    }
}

TEST_CASE("victims, held places and the summary name nobody either, and are read again") {
  Explanation told = explained(
      Cause{"port"}.with("port", std::int64_t{80}).with("protocol", "TCP").with("heldBy", "bank/a"));
  told.summary = summarize(told);
  REQUIRE(told.summary.front().text.contains("bank/a"));
  told.preemption = PreemptionPreview{.node = "n1", .victims = {"bank/a", "shop/b", "bank/c"}, .message = ""};
  told.held = {{.ns = "bank", .name = "a", .node = "n1", .manager = "", .seconds = {}, .others = {}},
               {.ns = "shop", .name = "b", .node = "n1", .manager = "", .seconds = {}, .others = {}}};
  CHECK(hide_pods(told, sees_shop));
  CHECK(told.summary.front().text == "host port 80/TCP is held by 1 pod");
  CHECK(told.preemption->victims == Texts{"shop/b", "2 pods"});
  std::string json;
  append_json(json, told);
  CHECK_FALSE(json.contains("bank"));
  const auto again = read_explanation(json);
  REQUIRE(again);
  CHECK(again->held[0].pod() == "1 pod");
  CHECK(again->held[1].pod() == "shop/b");
}

TEST_CASE("suggestions tell of no pods in namespaces that the caller does not see") {
  Explanation told = explained(Cause{"affinity"}
                                   .with("topologyKey", "zone")
                                   .with("selector", "app=x")
                                   .with("matching", std::int64_t{0})
                                   .with("elsewhere", Texts{"bank", "shop"})
                                   .with("elsewherePods", std::int64_t{3}));
  const auto look_in = [](const char* ns) {
    return Suggestion{.change = Cause{"namespaces"}.with("to", ns), .node = "n1", .nodes = 1};
  };
  const auto stop = [](const std::string& ns) {
    const Cause change = Cause{"devices"}.with("claim", ns + "/c").with("pod", ns + "/p");
    return Suggestion{.change = change, .node = "n1", .nodes = 1};
  };
  told.help.suggestions = {look_in("bank"), look_in("shop"), stop("bank"), stop("shop")};
  told.help.no_new_node =
      NoNewNode{.rule = "", .text = "", .cause = {}, .daemon_sets = {"bank/agent", "shop/agent"}};
  CHECK(hide_pods(told, sees_shop));
  CHECK(told.help.suggestions == std::vector{look_in("shop"), stop("shop")});
  CHECK(told.help.no_new_node->daemon_sets == Texts{"shop/agent", "1 more"});
  std::string json;
  append_json(json, told);
  CHECK_FALSE_MESSAGE(json.contains("bank"), json);
  CHECK_FALSE_MESSAGE(json.contains("elsewhere"), json);
}

TEST_CASE("a kept decision names nobody in its text, and is kept as it was") {
  DecisionLog log(10);
  DecisionRecord record = decided("web", DecisionVerb::kPreempt);
  record.fits = 1;
  record.best = {{"n1", 0, {}}};
  record.victims = {"bank/a", "bank/b", "default/c"};
  record.nearest = {{"n2", {{0, {Cause{"disk"}.with("disk", "d").with("heldBy", "bank/vault")}}}}};
  log.keep(record);
  const std::string seen = decisions_json(log, {}, sees_shop);
  CHECK_FALSE(seen.contains("bank"));
  CHECK(seen.contains("by evicting 3 pods"));
  CHECK(seen.contains("n2: d is mounted by 1 pod"));
  CHECK(decisions_json(log, {}).contains("bank/vault"));
}

}  // namespace
}  // namespace winnow::test::hidden_pods_test
