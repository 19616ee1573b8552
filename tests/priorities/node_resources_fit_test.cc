#include <doctest/doctest.h>

#include "cluster/rule/device_totals.h"
#include "cluster/rule/shared_args.h"
#include "tests/ask.h"
#include "tests/builders.h"
#include "tests/devices.h"

namespace winnow::test::node_resources_fit_test {
namespace {

constexpr const char* kFit = "NodeResourcesFit";

NodeResourcesFitArgs by(ScoringStrategy strategy,
                        std::vector<WeighedResource> resources = {{"cpu", 1}, {"memory", 1}},
                        UtilizationShape shape = {}) {
  NodeResourcesFitArgs made;
  made.strategy = strategy;
  made.resources = std::move(resources);
  made.shape = std::move(shape);
  return made;
}

const Node kNode = node("n").cpu("4").memory("10000").offers("example.com/gpu", "8");
const Node kBare = node("n").memory("10000");

}  // namespace

TEST_CASE("NodeResourcesFit, LeastAllocated: what would stay free") {
  const Ranking rows[] = {
      {"nothing used: (100 + 100)/2", pod("web"), {kNode}, {}, {{"n", 100}}},
      {"(4000-3000)*100/4000 = 25, (10000-5010)*100/10000 = 49: 74/2 = 37",
       pod("web").cpu("3").memory("5010"),
       {kNode},
       {},
       {{"n", 37}}},
      {"with what runs there: (4000-2000)*100/4000 = 50, 100: 150/2",
       pod("web").cpu("1").memory("0"),
       {kNode},
       {pod("there").cpu("1").memory("0").on("n")},
       {{"n", 75}}},
      {"more than all of it is 0, not less: (0 + 100)/2",
       pod("web").cpu("400").memory("0"),
       {kNode},
       {},
       {{"n", 50}}},
      {"a resource that the node lacks is left out: 100/1",
       pod("web").memory("0"),
       {kBare},
       {},
       {{"n", 100}}},
      {"a node without anything", pod("web").cpu("1"), {node("n")}, {}, {{"n", 0}}},
      {"a container that names neither: 900*100/1000 = 90, 800Mi*100/1000Mi = 80",
       pod("web").container(),
       {node("n").cpu("1").memory("1000Mi")},
       {},
       {{"n", 85}}},
      {"so does each that is there: 80, 60",
       pod("web").container(),
       {node("n").cpu("1").memory("1000Mi")},
       {pod("there").container().on("n")},
       {{"n", 70}}},
      {"overhead counts: (0 + 100)/2",
       pod("web").cpu("0").memory("0").overhead("cpu", "4"),
       {kNode},
       {},
       {{"n", 50}}},
      {"what it asks as a whole does not: 100m and 200Mi of 1 and 1000Mi",
       pod("web").container().pod_level("cpu", "1").pod_level("memory", "1000Mi"),
       {node("n").cpu("1").memory("1000Mi")},
       {},
       {{"n", 85}}},
      {"of what runs there it does: 1000-500-100 = 40 %, 1000Mi-200Mi-200Mi = 60 %",
       pod("web").container(),
       {node("n").cpu("1").memory("1000Mi")},
       {pod("there").container().pod_level("cpu", "500m").on("n")},
       {{"n", 50}}},
  };
  check_plugin_scores(kFit, rows);
}

TEST_CASE("NodeResourcesFit, LeastAllocated: weights and other resources") {
  const auto least = [](std::vector<WeighedResource> resources) {
    return by(ScoringStrategy::kLeastAllocated, std::move(resources));
  };
  const Pod web = pod("web").cpu("3").memory("5010").asks("example.com/gpu", "2");
  const Ranking weighed[] = {{"(25*3 + 49*1)/4 = 31", web, {kNode}, {}, {{"n", 31}}}};
  check_plugin_scores(kFit, weighed, least({{"cpu", 3}, {"memory", 1}}));
  const Ranking gpu[] = {
      {"(25 + 75*3)/4 = 62.5", web, {kNode}, {}, {{"n", 62}}},
      {"one that runs has a gpu: (25 + 62*3)/4 = 52.75",
       web,
       {kNode},
       {pod("there").cpu("0").memory("0").asks("example.com/gpu", "1").on("n")},
       {{"n", 52}}},
      {"a pod that asks for none: 25/1", pod("web").cpu("3"), {kNode}, {}, {{"n", 25}}},
      {"or for 0", pod("web").cpu("3").asks("example.com/gpu", "0"), {kNode}, {}, {{"n", 25}}},
      {"a node that has none: 25/1", web, {node("n").cpu("4")}, {}, {{"n", 25}}},
  };
  check_plugin_scores(kFit, gpu, least({{"cpu", 1}, {"example.com/gpu", 3}}));
  const Ranking other[] = {
      {"storage has no default: (10-1)*100/10",
       pod("web").container().asks("ephemeral-storage", "1"),
       {node("n").offers("ephemeral-storage", "10")},
       {},
       {{"n", 90}}},
      {"storage that is not asked for still counts",
       pod("web").container(),
       {node("n").offers("ephemeral-storage", "10")},
       {pod("there").asks("ephemeral-storage", "4").on("n")},
       {{"n", 60}}},
      {"a name that no node accounts for is left out: 90/1",
       pod("web").asks("ephemeral-storage", "1").asks("widgets", "1"),
       {node("n").offers("ephemeral-storage", "10").offers("widgets", "5")},
       {},
       {{"n", 90}}},
  };
  check_plugin_scores(kFit, other, least({{"ephemeral-storage", 1}, {"widgets", 5}, {"pods", 2}}));
}

TEST_CASE("NodeResourcesFit, MostAllocated: what would be used") {
  const Ranking rows[] = {
      {"nothing used", pod("web"), {kNode}, {}, {{"n", 0}}},
      {"3000*100/4000 = 75, 5010*100/10000 = 50: 125/2 = 62",
       pod("web").cpu("3").memory("5010"),
       {kNode},
       {},
       {{"n", 62}}},
      {"more than all of it is all of it: (100 + 0)/2",
       pod("web").cpu("400").memory("0"),
       {kNode},
       {},
       {{"n", 50}}},
      {"a resource that the node lacks is left out", pod("web").memory("5010"), {kBare}, {}, {{"n", 50}}},
      {"a node without anything", pod("web").cpu("1"), {node("n")}, {}, {{"n", 0}}},
  };
  check_plugin_scores(kFit, rows, by(ScoringStrategy::kMostAllocated));
}

TEST_CASE("NodeResourcesFit, RequestedToCapacityRatio: a line through a shape") {
  const auto ratio = [](std::vector<WeighedResource> resources, UtilizationShape shape) {
    return by(ScoringStrategy::kRequestedToCapacityRatio, std::move(resources), std::move(shape));
  };
  const Ranking rising[] = {
      {"75 % and 50 %: 125/2 = 62.5 rounds up", pod("web").cpu("3").memory("5010"), {kNode}, {}, {{"n", 63}}},
      {"what scores 0 is left out: 75/1", pod("web").cpu("3").memory("0"), {kNode}, {}, {{"n", 75}}},
      {"what the node lacks, too: 50/1", pod("web").cpu("3").memory("5010"), {kBare}, {}, {{"n", 50}}},
      {"overcommitted is 100 %", pod("web").cpu("9").memory("0"), {kNode}, {}, {{"n", 100}}},
      {"3999*100/4000 = 99", pod("web").cpu("3999m").memory("0"), {kNode}, {}, {{"n", 99}}},
      {"nothing scores", pod("web").cpu("0").memory("0"), {kNode}, {}, {{"n", 0}}},
  };
  check_plugin_scores(kFit, rising, ratio({{"cpu", 1}, {"memory", 1}}, {{0, 0}, {100, 10}}));
  const Ranking bent[] = {
      {"level before the first point", pod("web").cpu("400m"), {kNode}, {}, {{"n", 10}}},
      {"40 %: 10 + (90-10)*20/40", pod("web").cpu("1600m"), {kNode}, {}, {{"n", 50}}},
      {"41 %: 10 + 80*21/40 = 52", pod("web").cpu("1640m"), {kNode}, {}, {{"n", 52}}},
      {"70 %, going down: 90 + -50*10/20", pod("web").cpu("2800m"), {kNode}, {}, {{"n", 65}}},
      {"level behind the last", pod("web").cpu("4"), {kNode}, {}, {{"n", 40}}},
  };
  check_plugin_scores(kFit, bent, ratio({{"cpu", 7}}, {{20, 1}, {60, 9}, {80, 4}}));
  // cpu 25 %, gpu 6 of 8 = 75 %: (25 + 75*3)/4 = 62.5.
  const Ranking both[] = {
      {"weights", pod("web").cpu("1").asks("example.com/gpu", "6"), {kNode}, {}, {{"n", 63}}}};
  check_plugin_scores(kFit, both, ratio({{"cpu", 1}, {"example.com/gpu", 3}}, {{0, 0}, {100, 10}}));
}

TEST_CASE("NodeResourcesFit counts devices on nodes that do not offer the resource themselves") {
  State state(kPlugins);
  state.set_node(node("drivers").cpu("4"));
  state.set_node(node("plugin").cpu("4").offers("example.com/gpu", "4"));
  state.set_node(node("none").cpu("4"));
  ObjectWriter<DeviceClass>::set(state, {.metadata = {.name = "gpu"},
                                         .selectors = {"device.attributes['d'].model == 'a10'"},
                                         .extended_resource_name = "example.com/gpu"});
  ResourceSlice slice = gpus_of("drivers", 5);
  slice.devices.back().attributes["model"] = std::string("other");
  ObjectWriter<ResourceSlice>::set(state, slice);
  ResourceClaim claim = simple_claim("one");
  claim.allocation =
      DeviceAllocation{.devices = {{.request = "r", .driver = "d", .pool = "drivers", .device = "gpu-0"}}};
  ObjectWriter<ResourceClaim>::set(state, claim);
  const auto free = by(ScoringStrategy::kLeastAllocated, {{"example.com/gpu", 1}});
  const Pod asks = pod("web").asks("example.com/gpu", "1");
  // Four of the class are there, of which one is allocated: (4 - 2)*100/4. The plugin's: (4 - 1)*100/4.
  using Raw = std::map<std::string, std::int64_t>;
  CHECK(score(priority(kFit), View(state), asks, free).raw ==
        Raw{{"drivers", 50}, {"plugin", 75}, {"none", 0}});
  // A selector that fails on a device takes all of the node's.
  ObjectWriter<DeviceClass>::set(state, {.metadata = {.name = "gpu"},
                                         .selectors = {"device.attributes['d'].lacking == 'a10'"},
                                         .extended_resource_name = "example.com/gpu"});
  CHECK(score(priority(kFit), View(state), asks, free).raw ==
        Raw{{"drivers", 0}, {"plugin", 75}, {"none", 0}});
}

TEST_CASE("devices are counted by class, wherever they are") {
  State state(kPlugins);
  ObjectWriter<DeviceClass>::set(
      state, {.metadata = {.name = "all"}, .selectors = {}, .extended_resource_name = {}});
  ObjectWriter<DeviceClass>::set(state, {.metadata = {.name = "a10"},
                                         .selectors = {"device.attributes['d'].model == 'a10'"},
                                         .extended_resource_name = {}});
  ObjectWriter<ResourceSlice>::set(state, gpus_of("one", 2));
  ResourceSlice other = gpus_of("two", 2, "h100");
  other.devices.front().taints.push_back({.key = "bad", .value = "", .effect = "NoSchedule"});
  ObjectWriter<ResourceSlice>::set(state, other);
  ResourceClaim claim = simple_claim("one");
  claim.allocation =
      DeviceAllocation{.devices = {{.request = "r", .driver = "d", .pool = "one", .device = "gpu-0"}}};
  ObjectWriter<ResourceClaim>::set(state, claim);
  const std::vector<ClassDevices> counts = count_by_class(state, 1000);
  REQUIRE(counts.size() == 2);
  CHECK(counts[0].name == "a10");
  CHECK(counts[0].allocated == 1);
  CHECK(counts[0].free == 1);
  CHECK(counts[1].allocated == 1);
  CHECK(counts[1].tainted == 1);
  CHECK(counts[1].free == 2);
  other.devices.push_back(other.devices.back());
  other.devices.back().name = "new";
  ObjectWriter<ResourceSlice>::set(state, other);
  CHECK(count_by_class(state, 0).empty());
}

TEST_CASE("NodeResourcesFit skips no pod when it scores") {
  State state(kPlugins);
  state.set_node(kNode);
  CHECK_FALSE(score(kFit, View(state), pod("web")).skipped);
}

}  // namespace winnow::test::node_resources_fit_test
