#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "cluster/rule/arguments.h"
#include "predicates/rules.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

const Node kNode = node("a")
                       .cpu("4")
                       .memory("8Gi")
                       .pods("10")
                       .offers("example.com/gpu", "2")
                       .offers("ephemeral-storage", "1Gi");
const Node kFull = node("a").cpu("4").memory("8Gi").pods("1");
const Pod kBusy = pod("there").cpu("3").memory("6Gi");

}  // namespace

TEST_CASE("PodFitsResources: what is asked beside what is taken, as v1.16 counts") {
  const Placement rows[] = {
      {"3 + 1 = 4 of cpu", pod("web").cpu("1").memory("1"), kNode, {kBusy}, "fits"},
      {"3 + 1.001 > 4 of cpu", pod("web").cpu("1001m"), kNode, {kBusy}, "unschedulable: Insufficient cpu"},
      {"6Gi + 2Gi = 8Gi of memory", pod("web").memory("2Gi"), kNode, {kBusy}, "fits"},
      {"6Gi + 2Gi + 1 > 8Gi of memory",
       pod("web").memory("2147483649"),
       kNode,
       {kBusy},
       "unschedulable: Insufficient memory"},
      {"both",
       pod("web").cpu("2").memory("3Gi"),
       kNode,
       {kBusy},
       "unschedulable: Insufficient cpu, Insufficient memory"},
      {"1Gi of storage", pod("web").asks("ephemeral-storage", "1Gi"), kNode, {}, "fits"},
      {"1Gi and a byte of storage",
       pod("web").asks("ephemeral-storage", "1073741825"),
       kNode,
       {},
       "unschedulable: Insufficient ephemeral-storage"},
      {"the last place", pod("web").cpu("1"), node("a").cpu("4").pods("2"), {pod("there")}, "fits"},
      {"no place", pod("web").cpu("1"), kFull, {pod("there")}, "unschedulable: Insufficient pods"},
      {"no place, no cpu",
       pod("web").cpu("9"),
       kFull,
       {pod("there")},
       "unschedulable: Insufficient pods, Insufficient cpu"},
      {"a node that offers nothing", pod("web"), node("a"), {}, "unschedulable: Insufficient pods"},
  };
  check_verdicts("PodFitsResources", rows);
}

TEST_CASE("PodFitsResources: who asks for anything is held against everything") {
  const Placement rows[] = {
      {"one that asks for nothing fits where all is used up",
       pod("web").container(),
       node("a").pods("9"),
       {kBusy},
       "fits"},
      {"so does one that asks for 0 of everything",
       pod("web").cpu("0").memory("0").asks("ephemeral-storage", "0"),
       node("a").pods("9"),
       {kBusy},
       "fits"},
      {"one that asks for anything is held against everything",
       pod("web").cpu("1m"),
       node("a").cpu("4").memory("1Gi").pods("9"),
       {kBusy},
       "unschedulable: Insufficient memory"},
      {"a scalar of 0 asks, too",
       pod("web").asks("example.com/gpu", "0"),
       node("a").pods("9"),
       {kBusy},
       "unschedulable: Insufficient cpu, Insufficient memory"},
      {"an init container's scalar of 0 does not",
       pod("web").init().asks("example.com/gpu", "0"),
       node("a").pods("9"),
       {kBusy},
       "fits"},
      {"1 + 1 = 2 of a scalar",
       pod("web").asks("example.com/gpu", "1"),
       kNode,
       {pod("there").asks("example.com/gpu", "1")},
       "fits"},
      {"1 + 2 > 2 of a scalar",
       pod("web").asks("example.com/gpu", "2"),
       kNode,
       {pod("there").asks("example.com/gpu", "1")},
       "unschedulable: Insufficient example.com/gpu"},
      {"a scalar that the node lacks",
       pod("web").asks("example.com/fpga", "1"),
       kNode,
       {},
       "unschedulable: Insufficient example.com/fpga"},
      {"scalars that are short, by name",
       pod("web").asks("hugepages-2Mi", "1").asks("example.com/a", "1"),
       kNode,
       {},
       "unschedulable: Insufficient example.com/a, Insufficient hugepages-2Mi"},
      {"a name that nobody accounts for is not asked",
       pod("web").cpu("1").asks("widgets", "9"),
       kNode,
       {},
       "fits"},
  };
  check_verdicts("PodFitsResources", rows);
}

TEST_CASE("PodFitsResources: what v1.16 counts of a pod") {
  const Placement rows[] = {
      {"an init container's peak: max(1, 5)",
       pod("web").cpu("1").init().cpu("5"),
       kNode,
       {},
       "unschedulable: Insufficient cpu"},
      {"init containers one after another: max(3, 4)",
       pod("web").init().cpu("3").init().cpu("4"),
       kNode,
       {},
       "fits"},
      {"a pod being deleted still has its share",
       pod("web").cpu("2"),
       kNode,
       {pod("there").cpu("3").deleting()},
       "unschedulable: Insufficient cpu"},
      {"overhead does not count", pod("web").cpu("4").overhead("cpu", "1"), kNode, {}, "fits"},
      {"a sidecar is an init container", pod("web").cpu("3").sidecar().cpu("3"), kNode, {}, "fits"},
      {"100u and 100u are 2m",
       pod("web").cpu("100u").container().cpu("100u"),
       node("a").cpu("1m").pods("9"),
       {},
       "unschedulable: Insufficient cpu"},
  };
  check_verdicts("PodFitsResources", rows);
}

TEST_CASE("PodFitsResources, as today counts") {
  const Node a = node("a").cpu("4").memory("8Gi").pods("10");
  const Placement rows[] = {
      {"overhead counts",
       pod("web").cpu("4").overhead("cpu", "1m"),
       a,
       {},
       "unschedulable: Insufficient cpu"},
      {"so it does on pods that run",
       pod("web").cpu("2"),
       a,
       {pod("there").cpu("2").overhead("cpu", "1m")},
       "unschedulable: Insufficient cpu"},
      {"a sidecar runs beside: 3 + 1 = 4", pod("web").cpu("3").sidecar().cpu("1"), a, {}, "fits"},
      {"3 + 2 > 4", pod("web").cpu("3").sidecar().cpu("2"), a, {}, "unschedulable: Insufficient cpu"},
      {"what the pod asks as a whole",
       pod("web").cpu("1").pod_level("cpu", "5"),
       a,
       {},
       "unschedulable: Insufficient cpu"},
      {"100u and 100u are 1m",
       pod("web").cpu("100u").container().cpu("100u"),
       node("a").cpu("1m").pods("9"),
       {},
       "fits"},
  };
  check_verdicts("PodFitsResources", rows, {}, kDefaults);
}

TEST_CASE("a pod with a hundred scalar resources is told the first that are lacking, and how many more") {
  Pod web = pod("web").container();
  std::vector<std::string> names;
  for (int i = 100; i < 200; ++i) names.push_back("example.com/r" + std::to_string(i));
  for (const std::string& name : names) web.spec.containers[0].resources.requests[name] = quantity("1");
  const auto without = [&](std::size_t begin, std::size_t end) {
    NodeBuilder made = node("a").pods("1");
    for (std::size_t i = 0; i < names.size(); ++i)
      if (i < begin || i >= end) made.offers(names[i], "1");
    return Node(made);
  };
  const auto reasons = [&](std::size_t begin, std::size_t end) {
    std::string text;
    for (std::size_t i = begin; i < std::min(end, begin + 32); ++i)
      text += (text.empty() ? "Insufficient " : ", Insufficient ") + names[i];
    return end - begin > 32 ? text + ", and " + std::to_string(end - begin - 32) + " more reasons" : text;
  };
  State state(kExact);
  for (const auto& [begin, end] :
       std::vector<std::pair<std::size_t, std::size_t>>{{0, 100}, {99, 100}, {50, 70}}) {
    CAPTURE(begin);
    state.set_node(without(begin, end));
    CHECK(judge_one("PodFitsResources", View(state), web) == "unschedulable: " + reasons(begin, end));
    CHECK(judge_one("GeneralPredicates", View(state), web) == "unschedulable: " + reasons(begin, end));
  }
  state.set_node(without(0, 0));
  CHECK(judge_one("PodFitsResources", View(state), web) == "fits");
  web.spec.node_name = "elsewhere";
  web.spec.node_selector["no"] = "such";
  const std::string others =
      "node(s) didn't match the requested hostname, node(s) didn't match node selector";
  CHECK(judge_one("GeneralPredicates", View(state), web) == "unresolvable: " + others);
  state.set_node(without(0, 100));
  CHECK(judge_one("GeneralPredicates", View(state), web) ==
        "unresolvable: " + reasons(0, 32) + ", and 70 more reasons");
}

TEST_CASE(
    "resources that only an extender counts are not checked, by PodFitsResources and GeneralPredicates") {
  const Node empty = node("a").cpu("1").pods("9");
  const Placement rows[] = {
      {"an ignored one", pod("web").asks("example.com/gpu", "3"), empty, {}, "fits"},
      {"cpu is checked beside it",
       pod("web").cpu("2").asks("example.com/gpu", "3"),
       empty,
       {},
       "unschedulable: Insufficient cpu"},
      {"another one",
       pod("web").asks("example.com/widget", "1").asks("example.com/gpu", "3"),
       empty,
       {},
       "unschedulable: Insufficient example.com/widget"},
      {"who asks for nothing else is still held against cpu",
       pod("web").asks("example.com/gpu", "3"),
       node("a").cpu("1").pods("9"),
       {pod("there").cpu("2")},
       "unschedulable: Insufficient cpu"},
      {"one that is not extended, whatever the list says",
       pod("web").asks("hugepages-2Mi", "1Mi"),
       empty,
       {},
       "unschedulable: Insufficient hugepages-2Mi"},
  };
  const IgnoredResources ignored{{"example.com/gpu", "hugepages-2Mi"}};
  check_verdicts("PodFitsResources", rows, ignored);
  check_verdicts("GeneralPredicates", rows, ignored);
}

}  // namespace winnow::test
