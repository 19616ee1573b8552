// The preview of a preemption: its node and victims, or the reason why there is none.
#include "extender/engine/preemption_preview.h"

#include <doctest/doctest.h>

#include "extender/engine/engine.h"
#include "extender/engine/workers.h"
#include "tests/ask.h"
#include "tests/builders.h"
#include "tests/extender/engine/rules_and_pods.h"

namespace winnow::test::preemption_preview_test {
namespace {

const RuleSet kToday = rules_named(
    Generation::kToday, {"NodeUnschedulable", "NodePorts", "NodeResourcesFit", "InterPodAffinity"});
const RuleSet kClassic = rules_named(
    Generation::kClassic, {"CheckNodeUnschedulable", "GeneralPredicates", "MatchInterPodAffinity"});

Pod low(const std::string& name, const std::string& on, std::int32_t priority = 1,
        std::string_view cpu = "4") {
  return prioritized(pod(name).uid(name).on(on).cpu(cpu), priority);
}
Pod high(std::string_view cpu = "4") { return prioritized(pod("high").uid("high").cpu(cpu), 9); }

/// A cluster, and the pod that is asked about.
struct Bed {
  std::vector<Node> nodes;
  std::vector<Pod> pods;
  Pod asked = high();
  std::vector<PodDisruptionBudget> budgets = {};
  RuleSet rules = kToday;
  PreviewOptions options = {};

  PreemptionPreview preview() const {
    State state({Accounting::kToday, false, rules.generation});
    for (const Node& node : nodes) state.set_node(node);
    for (const Pod& pod : pods) state.set_pod(pod);
    for (const PodDisruptionBudget& one : budgets)
      state.objects.of<PodDisruptionBudget>()["default/" + one.metadata.name] = one;
    Workers workers(1);
    const Engine engine(rules, workers);
    const View view(state);
    std::vector<std::string> names;
    for (const Node& node : nodes) names.push_back(node.metadata.name);
    std::vector<NodeId> ids;
    for (const std::string& name : names) ids.push_back(view.find_node(name));
    PassTimes times;
    const Filtered filtered = engine.filter({asked, view, ids}, /*all_rules=*/true, times);
    for (std::size_t i = 0; i < names.size(); ++i) REQUIRE_FALSE(filtered.fits(i));
    return preview_preemption(engine, view, asked, names, filtered, options);
  }
};

/// "n2: default/a default/b, 1 violation(s)", or the message.
std::string words(const PreemptionPreview& preview) {
  if (preview.node.empty()) return preview.message;
  std::string text = preview.node + ":";
  for (const std::string& victim : preview.victims) text += " " + victim;
  if (preview.violations > 0) text += ", " + std::to_string(preview.violations) + " violation(s)";
  return text + (preview.in_vain ? ", in vain" : "");
}

std::vector<Node> nodes(int count) {
  std::vector<Node> made;
  for (int i = 1; i <= count; ++i) made.push_back(node("n" + std::to_string(i)).cpu("4").pods("110"));
  return made;
}

PodDisruptionBudget guards(const std::string& app) {
  return {meta("default", app), selects({{"app", app}}), 0, {}};
}
Pod labelled(Pod pod, const std::string& app) {
  pod.metadata.labels["app"] = app;
  return pod;
}

struct Row {
  const char* sentence;
  Bed bed;
  std::string says;
};

}  // namespace

TEST_CASE("which node: upstream's order of preference") {
  const Row rows[] = {
      {"one candidate", {nodes(1), {low("a", "n1")}}, "n1: default/a"},
      {"those that need not go stay, the highest first",
       {nodes(1), {low("a", "n1", 3, "1"), low("b", "n1", 1, "2"), low("c", "n1", 2, "1")}, high("2")},
       "n1: default/b"},
      {"victims from the highest priority on, equal ones by name",
       {nodes(1), {low("c", "n1", 1, "1"), low("b", "n1", 1, "1"), low("a", "n1", 2, "2")}},
       "n1: default/a default/b default/c"},
      {"fewest broken budgets, before all else",
       {nodes(2), {labelled(low("a", "n1", 1), "x"), low("b", "n2", 8)}, high(), {guards("x")}},
       "n2: default/b"},
      {"broken budgets are counted",
       {nodes(1), {labelled(low("a", "n1", 1), "x")}, high(), {guards("x")}},
       "n1: default/a, 1 violation(s)"},
      {"the lowest highest priority, though there are more",
       {nodes(2), {low("a", "n1", 5), low("b", "n2", 4, "2"), low("c", "n2", 4, "2")}},
       "n2: default/b default/c"},
      {"the smallest sum",
       {nodes(2),
        {low("a", "n1", 5, "2"), low("b", "n1", 4, "2"), low("c", "n2", 5, "2"), low("d", "n2", 3, "2")}},
       "n2: default/c default/d"},
      {"fewer are better where priorities are negative",
       {nodes(2), {low("a", "n1", -5, "2"), low("b", "n1", -5, "2"), low("c", "n2", -5)}},
       "n2: default/c"},
      {"the first by name", {nodes(3), {low("a", "n2"), low("b", "n3"), low("c", "n1", 8)}}, "n2: default/a"},
      {"a pod without a priority has 0",
       {nodes(1), {pod("a").on("n1").cpu("4")}, prioritized(pod("high").cpu("4"), 1)},
       "n1: default/a"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(words(row.bed.preview()) == row.says);
    Bed classic = row.bed;
    classic.rules = kClassic;
    CHECK(words(classic.preview()) == row.says);
  }
}

TEST_CASE("why nobody is evicted, in upstream's words") {
  Pod never = high();
  never.spec.preemption_policy = "Never";
  Pod waits = high();
  waits.status.nominated_node_name = "n1";
  Pod ends = low("a", "n1");
  ends.metadata.deleting = true;
  ends.status.conditions = {{"DisruptionTarget", "True", "PreemptionByScheduler", ""}};
  Pod ends_there = low("there", "n2", 2);
  ends_there.metadata.deleting = true;
  ends_there.status.conditions = ends.status.conditions;
  Pod higher_ends = prioritized(pod("h").on("n1").cpu("1"), 10);
  higher_ends.metadata.deleting = true;
  higher_ends.status.conditions = ends.status.conditions;
  std::vector<Node> cordoned = nodes(1);
  cordoned[0].spec.unschedulable = true;
  std::vector<Node> first_cordoned = nodes(3);
  first_cordoned[0].spec.unschedulable = true;
  const std::string none = "0/1 nodes are available: 1 No preemption victims found for incoming pod.";
  const std::string beyond = "0/1 nodes are available: 1 Preemption is not helpful for scheduling.";
  const Row rows[] = {
      {"no pod of lower priority", {nodes(1), {low("a", "n1", 9)}}, none},
      {"more than the node has", {nodes(1), {low("a", "n1")}, high("5")}, beyond},
      {"nothing that eviction could help", {cordoned, {low("a", "n1")}}, beyond},
      {"who may go is not enough",
       {nodes(1), {low("a", "n1", 1, "3"), low("b", "n1", 9, "1")}},
       "0/1 nodes are available: 1 Insufficient cpu."},
      {"one of each",
       {first_cordoned, {low("a", "n2", 1, "3"), low("b", "n2", 9, "1"), low("c", "n3", 9)}},
       "0/3 nodes are available: 1 Insufficient cpu, 1 No preemption victims found for incoming pod, "
       "1 Preemption is not helpful for scheduling."},
      {"a pod that may not",
       {nodes(1), {low("a", "n1")}, never},
       "not eligible due to preemptionPolicy=Never."},
      {"its victims are going",
       {nodes(2), {ends, low("b", "n2")}, waits},
       "not eligible due to a terminating pod on the nominated node."},
      {"what goes is of higher priority",
       {nodes(1), {higher_ends, low("a", "n1", 1, "3")}, waits},
       "0/1 nodes are available: 1 Insufficient cpu."},
      {"its victims go on another node", {nodes(2), {low("b", "n1"), ends_there}, waits}, "n1: default/b"},
      {"its node has become one that eviction cannot help",
       {first_cordoned, {ends, low("b", "n2"), low("c", "n3", 2)}, waits},
       "n2: default/b"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(words(row.bed.preview()) == row.says);
  }
}

TEST_CASE("with alwaysCheckAllPredicates one failure that eviction cannot help is enough") {
  Bed bed{nodes(1), {low("a", "n1")}, high(), {}, kClassic};
  bed.nodes[0].spec.unschedulable = true;
  std::swap(bed.rules.predicates[0], bed.rules.predicates[1]);  // The rule about resources is first.
  // The other rule is asked only in the dry run.
  CHECK(words(bed.preview()) == "0/1 nodes are available: 1 node(s) were unschedulable.");
  bed.rules.always_check_all_predicates = true;
  CHECK(words(bed.preview()) == "0/1 nodes are available: 1 Preemption is not helpful for scheduling.");
}

TEST_CASE("the rules decide who stays, also where they do not cover what kube-scheduler's filters do") {
  // For victims that kube-scheduler has named, a Policy's MatchInterPodAffinity alone would not be enough.
  Bed bed{nodes(1),
          {low("a", "n1", 1, "2"), labelled(low("b", "n1", 2, "2"), "x")},
          prioritized(pod("high").cpu("2").avoids(pods_with({{"app", "y"}}, "zone")), 9),
          {},
          kClassic};
  CHECK(words(bed.preview()) == "n1: default/a");
}

TEST_CASE("a pod that is nominated for a node counts there") {
  Pod promised = prioritized(pod("promised").uid("promised").cpu("2"), 9);
  promised.status.nominated_node_name = "n1";
  Bed bed{nodes(1), {low("a", "n1"), promised}, high("3")};
  CHECK(words(bed.preview()) == "0/1 nodes are available: 1 Insufficient cpu.");
  bed.asked = high("2");
  CHECK(words(bed.preview()) == "n1: default/a");
}

TEST_CASE("at most a hundred candidates are asked about, from all over the cluster, and none too late") {
  Bed bed;
  for (int i = 0; i < 250; ++i) {
    const std::string name = "n" + std::to_string(1000 + i);
    bed.nodes.push_back(node(name).cpu("4").pods("110"));
    bed.pods.push_back(low("on-" + name, name, i >= 200 ? 1 : 2));
  }
  bed.nodes.push_back(node("n2000").cpu("1").pods("110"));
  const PreemptionPreview some = bed.preview();
  CHECK(some.judged == kPreviewCandidates);
  CHECK(some.candidates == 250);
  CHECK(words(some) == "n1200: default/on-n1200");

  bed.options.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  const PreemptionPreview late = bed.preview();
  CHECK(late.judged == 0);
  CHECK(late.candidates == 250);
  CHECK(words(late) == "no candidate could be asked about in time");
}

TEST_CASE("a pod that only counts on the node, and waits, is no victim") {
  State state({Accounting::kToday, false, kToday.generation});
  const std::vector<Node> all = nodes(2);
  for (const Node& node : all) state.set_node(node);
  for (const Pod& pod : {low("a", "n1"), low("b", "n2")}) state.set_pod(pod);
  Workers workers(1);
  const Engine engine(kToday, workers);
  const View view(state);
  const std::vector<std::string> names = {"n1", "n2"};
  const std::vector<NodeId> ids = view.all_nodes();
  PassTimes times;
  const Pod asked = high();
  const Filtered filtered = engine.filter({asked, view, ids}, /*all_rules=*/true, times);
  const auto says = [&](const std::vector<PodId>& spared) {
    return words(preview_preemption(engine, view, asked, names, filtered, {.spared = spared}));
  };
  CHECK(says({}) == "n1: default/a");
  CHECK(says({state.find_pod("default", "a")}) == "n2: default/b");
  CHECK(says({state.find_pod("default", "a"), state.find_pod("default", "b")}) ==
        "0/2 nodes are available: 2 No preemption victims found for incoming pod.");
}

TEST_CASE("a preview gives way to others between a few candidates, and else is as if there were none") {
  Bed bed;
  for (int i = 0; i < 30; ++i) {
    const std::string name = "n" + std::to_string(1000 + i);
    bed.nodes.push_back(node(name).cpu("4").pods("110"));
    bed.pods.push_back(low("on-" + name, name, i >= 20 ? 1 : 2));
  }
  for (const bool resources_only : {false, true}) {
    bed.options = {};
    if (resources_only) bed.options.filters = {"NodeResourcesFit", "NodePorts"};
    const PreemptionPreview whole = bed.preview();
    CHECK_FALSE(whole.gave_way);
    const auto nobody = [] { return false; };
    bed.options.others_wait = nobody;
    const PreemptionPreview in_turns = bed.preview();
    CHECK_FALSE(in_turns.gave_way);
    CHECK(in_turns.judged == 30);
    CHECK(words(in_turns) == words(whole));
    const auto somebody = [] { return true; };
    bed.options.others_wait = somebody;
    const PreemptionPreview cut = bed.preview();
    CHECK(cut.gave_way);
    CHECK(cut.judged == 5);
    CHECK(cut.candidates == 30);
    CHECK(words(cut) == "n1000: default/on-n1000");
  }
}

TEST_CASE("kube-scheduler that knows resources only: what it would evict, and where that is in vain") {
  const auto apart = [](std::string_view cpu) {
    return prioritized(pod("high").uid("high").cpu(cpu).avoids(pods_with({{"app", "x"}}, "host")), 9);
  };
  const auto hosts = [](int count) {
    std::vector<Node> made = nodes(count);
    for (Node& node : made) node.metadata.labels["host"] = node.metadata.name;
    return made;
  };
  const Pod small_x = labelled(low("x1", "n1", 1, "1"), "x");
  const Row rows[] = {
      {"kept out by resources alone", {hosts(1), {low("a", "n1")}}, "n1: default/a"},
      {"kept out by another pod alone", {hosts(1), {small_x}, apart("2")}, "n1: default/x1, in vain"},
      {"by both: the victims of the one are not those of the other",
       {hosts(1), {labelled(low("x1", "n1", 2, "1"), "x"), low("a", "n1", 1, "3")}, apart("3")},
       "n1: default/x1 default/a, in vain"},
      {"by both, and one pod is in the way of both",
       {hosts(1), {labelled(low("x1", "n1"), "x")}, apart("3")},
       "n1: default/x1"},
      {"it finds another node than the rules do",
       {hosts(2), {labelled(low("x1", "n1", 1, "1"), "x"), low("a", "n2", 5)}, apart("2")},
       "n2: default/a"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Bed bed = row.bed;
    bed.options.filters = {"NodeResourcesFit", "NodePorts"};
    CHECK(words(bed.preview()) == row.says);
    bed.rules = kClassic;
    CHECK(words(bed.preview()) == row.says);
    bed.options.filters = {"NodePorts"};  // Without NodeResourcesFit it preempts nobody for room.
    CHECK(bed.preview().in_vain);
    bed.options.filters.reset();
    CHECK_FALSE(bed.preview().in_vain);
  }
}

}  // namespace winnow::test::preemption_preview_test
