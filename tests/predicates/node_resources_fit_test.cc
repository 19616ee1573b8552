#include <doctest/doctest.h>

#include "cluster/rule/shared_args.h"
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
const Pod kBusy = pod("there").cpu("3").memory("6Gi");
const Pod kHasGpu = pod("there").asks("example.com/gpu", "1");

}  // namespace

TEST_CASE("NodeResourcesFit: what is short now, and what the node never has") {
  const Placement rows[] = {
      {"3 + 1 = 4 of cpu", pod("web").cpu("1").memory("1"), kNode, {kBusy}, "fits"},
      {"3 + 1.001 > 4 of cpu", pod("web").cpu("1001m"), kNode, {kBusy}, "unschedulable: Insufficient cpu"},
      {"4.001 > 4: nobody's leaving helps",
       pod("web").cpu("4001m"),
       kNode,
       {},
       "unresolvable: Insufficient cpu"},
      {"4 = 4: leaving helps", pod("web").cpu("4"), kNode, {kBusy}, "unschedulable: Insufficient cpu"},
      {"6Gi + 2Gi + 1 > 8Gi of memory",
       pod("web").memory("2147483649"),
       kNode,
       {kBusy},
       "unschedulable: Insufficient memory"},
      {"one that the node never has is enough",
       pod("web").cpu("2").memory("9Gi"),
       kNode,
       {kBusy},
       "unresolvable: Insufficient cpu, Insufficient memory"},
      {"a byte more of storage than there is",
       pod("web").asks("ephemeral-storage", "1073741825"),
       kNode,
       {},
       "unresolvable: Insufficient ephemeral-storage"},
      {"1 + 2 > 2 of a scalar",
       pod("web").asks("example.com/gpu", "2"),
       kNode,
       {kHasGpu},
       "unschedulable: Insufficient example.com/gpu"},
      {"3 > 2 of a scalar",
       pod("web").asks("example.com/gpu", "3"),
       kNode,
       {kHasGpu},
       "unresolvable: Insufficient example.com/gpu"},
      {"a scalar that the node lacks",
       pod("web").asks("example.com/fpga", "1"),
       kNode,
       {},
       "unresolvable: Insufficient example.com/fpga"},
      {"a name in the space of device classes is a scalar like others",
       pod("web").asks("deviceclass.resource.kubernetes.io/gpu", "1"),
       kNode,
       {},
       "unresolvable: Insufficient deviceclass.resource.kubernetes.io/gpu"},
      {"all that are short, scalars by name",
       pod("web").cpu("9").memory("9Gi").asks("hugepages-2Mi", "2Mi").asks("example.com/a", "1"),
       node("a").cpu("1").memory("1Gi"),
       {},
       "unresolvable: Too many pods, Insufficient cpu, Insufficient memory, Insufficient example.com/a, "
       "Insufficient hugepages-2Mi"},
      {"a name that nobody accounts for is not asked",
       pod("web").cpu("1").asks("widgets", "9"),
       kNode,
       {},
       "fits"},
      {"an int64 and a little is too much, not little",
       pod("web").memory("9223372036854775807"),
       node("a").memory("9223372036854775807").pods("9"),
       {pod("there").memory("1Gi")},
       "unschedulable: Insufficient memory"},
  };
  check_plugin_verdicts("NodeResourcesFit", rows);
}

TEST_CASE("NodeResourcesFit: pods are counted, and that can always be mended") {
  const Placement rows[] = {
      {"the last place", pod("web"), node("a").pods("2"), {pod("there")}, "fits"},
      {"no place", pod("web"), node("a").pods("1"), {pod("there")}, "unschedulable: Too many pods"},
      {"no place at all", pod("web"), node("a").pods("0"), {}, "unschedulable: Too many pods"},
      {"a node that says nothing", pod("web"), node("a"), {}, "unschedulable: Too many pods"},
      {"no place, no cpu",
       pod("web").cpu("2"),
       node("a").cpu("4").pods("1"),
       {kBusy},
       "unschedulable: Too many pods, Insufficient cpu"},
  };
  check_plugin_verdicts("NodeResourcesFit", rows);
}

TEST_CASE("NodeResourcesFit: what is not asked for is not looked at") {
  const Node small = node("a").cpu("4").memory("1Gi").pods("9").offers("example.com/gpu", "1");
  const Placement rows[] = {
      {"nothing at all, where all is used up", pod("web").container(), node("a").pods("9"), {kBusy}, "fits"},
      {"cpu, where memory is overcommitted", pod("web").cpu("1"), small, {kBusy}, "fits"},
      {"cpu and 0 of the memory", pod("web").cpu("1").memory("0"), small, {kBusy}, "fits"},
      {"0 of a scalar that is used up",
       pod("web").cpu("1").asks("example.com/gpu", "0"),
       small,
       {pod("there").asks("example.com/gpu", "5")},
       "fits"},
      {"0 of a scalar that the node lacks", pod("web").asks("example.com/fpga", "0"), small, {}, "fits"},
  };
  check_plugin_verdicts("NodeResourcesFit", rows);
}

TEST_CASE("NodeResourcesFit: what a pod asks for") {
  const Pod resized = [] {
    Pod there = pod("there").container("c").cpu("1");
    there.status.container_statuses.emplace_back().name = "c";
    there.status.container_statuses[0].allocated_resources = ResourceList{{"cpu", quantity("3")}};
    return there;
  }();
  const Placement rows[] = {
      {"a sidecar runs beside: 3 + 1 = 4", pod("web").cpu("3").sidecar().cpu("1"), kNode, {}, "fits"},
      {"3 + 2 > 4", pod("web").cpu("3").sidecar().cpu("2"), kNode, {}, "unresolvable: Insufficient cpu"},
      {"an init container before it does not: max(4, 1 + 1)",
       pod("web").cpu("1").init().cpu("4").sidecar().cpu("1"),
       kNode,
       {},
       "fits"},
      {"one behind it does: max(4 + 1, 1 + 1)",
       pod("web").cpu("1").sidecar().cpu("1").init().cpu("4"),
       kNode,
       {},
       "unresolvable: Insufficient cpu"},
      {"overhead", pod("web").cpu("4").overhead("cpu", "1m"), kNode, {}, "unresolvable: Insufficient cpu"},
      {"what it asks as a whole, more",
       pod("web").cpu("1").pod_level("cpu", "5"),
       kNode,
       {},
       "unresolvable: Insufficient cpu"},
      {"and less", pod("web").cpu("5").pod_level("cpu", "1"), kNode, {}, "fits"},
      {"100u and 100u are 1m",
       pod("web").cpu("100u").container().cpu("100u"),
       node("a").cpu("1m").pods("9"),
       {},
       "fits"},
      {"its own status does not count", resized, node("a").cpu("1").pods("9"), {}, "fits"},
      {"that of a pod that runs does: 3 + 2 > 4",
       pod("web").cpu("2"),
       kNode,
       {resized},
       "unschedulable: Insufficient cpu"},
      {"a pod being deleted still has its share",
       pod("web").cpu("2"),
       kNode,
       {pod("there").cpu("3").deleting()},
       "unschedulable: Insufficient cpu"},
  };
  check_plugin_verdicts("NodeResourcesFit", rows);
}

TEST_CASE("NodeResourcesFit: extended resources that are ignored, by name or by group") {
  NodeResourcesFitArgs args;
  args.ignored_resources = {"example.com/gpu", "hugepages-2Mi", "cpu"};
  args.ignored_resource_groups = {"acme.org"};
  const Placement rows[] = {
      {"by name", pod("web").asks("example.com/gpu", "9"), kNode, {}, "fits"},
      {"another of its group",
       pod("web").asks("example.com/fpga", "9"),
       kNode,
       {},
       "unresolvable: Insufficient example.com/fpga"},
      {"by group", pod("web").asks("acme.org/a", "1").asks("acme.org/b", "1"), kNode, {}, "fits"},
      {"a group is the whole of it",
       pod("web").asks("sub.acme.org/a", "1"),
       kNode,
       {},
       "unresolvable: Insufficient sub.acme.org/a"},
      {"Kubernetes' own are never ignored",
       pod("web").cpu("9").asks("hugepages-2Mi", "1"),
       kNode,
       {},
       "unresolvable: Insufficient cpu, Insufficient hugepages-2Mi"},
  };
  check_plugin_verdicts("NodeResourcesFit", rows, args);
}

TEST_CASE("NodeResourcesFit names the first of a hundred scalar resources that are lacking") {
  Pod web = pod("web").container();
  NodeBuilder used_up = node("a").pods("9");
  Pod there = pod("there").on("a").container();
  std::string all;
  for (int i = 100; i < 200; ++i) {
    const std::string name = "example.com/r" + std::to_string(i);
    web.spec.containers[0].resources.requests[name] = quantity("1");
    there.spec.containers[0].resources.requests[name] = quantity("1");
    used_up.offers(name, "1");
    if (i < 132) all += (all.empty() ? "Insufficient " : ", Insufficient ") + name;
  }
  all += ", and 68 more reasons";
  State state(kPlugins);
  state.set_node(used_up);
  CHECK(judge_one("NodeResourcesFit", View(state), web) == "fits");
  state.set_pod(there);
  CHECK(judge_one("NodeResourcesFit", View(state), web) == "unschedulable: " + all);
  state.set_node(node("a").pods("9"));
  CHECK(judge_one("NodeResourcesFit", View(state), web) == "unresolvable: " + all);
}

}  // namespace winnow::test
