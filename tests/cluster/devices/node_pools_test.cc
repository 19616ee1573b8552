// Which pools a node may use: complete ones, of the newest generation, without faults.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/cluster/devices/device_world.h"

namespace winnow {
namespace {

using namespace device_world;

ResourceSlice with_selector(ResourceSlice slice, std::vector<std::string> zones, const char* op = "In") {
  slice.node_name = "";
  slice.all_nodes = false;
  slice.node_selector = NodeSelector{{{.match_expressions = {{"zone", op, std::move(zones)}}}}};
  return slice;
}

ResourceSlice per_device(ResourceSlice slice) {
  slice.node_name = "";
  slice.all_nodes = false;
  slice.per_device_node_selection = true;
  return slice;
}

Device on_node(Device device, std::string node) {
  device.node_name = std::move(node);
  return device;
}

Device binding(Device device) {
  device.binding_conditions = {"ready"};
  return device;
}

Device using_counter(std::string name, std::string set, std::string counter, std::string group = "") {
  Device device = named(std::move(name));
  device.consumes_counters = {{std::move(set), {{std::move(counter), amount("1")}}, {}}};
  if (!group.empty()) device.consumes_counters.front().compatibility_groups = {group};
  return device;
}

ResourceSlice counter_slice(std::string name, std::vector<CounterSet> sets) {
  ResourceSlice slice = local_slice(std::move(name), {});
  slice.shared_counters = std::move(sets);
  return slice;
}

struct PoolRow {
  const char* sentence;
  std::vector<ResourceSlice> slices;
  std::string answer;  ///< To a claim of one device on n1.
};

const CounterSet kSet{"set", {{"c", amount("4")}}};

}  // namespace

TEST_CASE("a node uses complete and valid pools of the newest generation") {
  const PoolRow rows[] = {
      {"a slice of the node", {local_slice("s", devices({"d0"}))}, "c: r=d0"},
      {"a slice of another node", {of_pool(local_slice("s", {}), 1)}, "none"},
      {"a slice of all nodes", {common_slice("s", devices({"d0"}))}, "c: r=d0"},
      {"a selector that matches",
       {with_selector(local_slice("s", devices({"d0"})), {"n1", "n2"})},
       "c: r=d0"},
      {"a selector that does not", {with_selector(local_slice("s", devices({"d0"})), {"n2"})}, "none"},
      {"a selector that is invalid",
       {with_selector(local_slice("s", devices({"d0"})), {"n1"}, "Is")},
       "fatal: gather pool information: failed to perform node selection for slice s: failed to parse node "
       "selector "
       "&NodeSelector{NodeSelectorTerms:[]NodeSelectorTerm{NodeSelectorTerm{MatchExpressions:[]"
       "NodeSelectorRequirement{NodeSelectorRequirement{Key:zone,Operator:Is,Values:[n1],},},"
       "MatchFields:[]NodeSelectorRequirement{},},},}: bad operator"},
      {"devices choose nodes one by one",
       {per_device(local_slice("s", {on_node(named("d0"), "n2"), on_node(named("d1"), "n1")}))},
       "c: r=d1"},
      {"no device chooses the node", {per_device(local_slice("s", {on_node(named("d0"), "n2")}))}, "none"},
      {"a slice that says nothing of nodes", {with_selector(local_slice("s", {}), {})}, "none"},
      {"slices come by name, and devices as they stand",
       {of_pool(local_slice("t", devices({"d0"})), 2), of_pool(local_slice("s", devices({"d9", "d8"})), 2)},
       "c: r=d9"},
      {"pools come by name",
       {local_slice("s", devices({"d0"}), "q"), local_slice("t", devices({"d0"}), "p")},
       "c: r=p/d0"},
      {"pools with binding conditions come last",
       {local_slice("s", {binding(named("d0"))}, "a"), local_slice("t", devices({"d0"}), "b")},
       "c: r=b/d0"},
      {"a slice is missing", {of_pool(local_slice("s", devices({"d0"})), 2)}, "none"},
      {"the other slice is another node's",
       {of_pool(local_slice("s", devices({"d0"})), 2),
        of_pool(with_selector(local_slice("t", {}), {"n2"}), 2)},
       "c: r=d0"},
      {"the newer generation counts",
       {of_pool(local_slice("s", devices({"d0"})), 1), of_pool(local_slice("t", devices({"d1"})), 1, 2)},
       "c: r=d1"},
      {"the newer generation is not complete",
       {of_pool(local_slice("s", devices({"d0"})), 1), of_pool(local_slice("t", devices({"d1"})), 2, 2)},
       "none"},
      {"a newer generation on other nodes alone makes an incomplete one obsolete",
       {of_pool(local_slice("s", devices({"d0"})), 2),
        of_pool(with_selector(local_slice("t", {}), {"n2"}), 1, 2)},
       "none"},
      {"but a complete one stays",
       {of_pool(local_slice("s", devices({"d0"})), 1),
        of_pool(with_selector(local_slice("t", {}), {"n2"}), 1, 2)},
       "c: r=d0"},
      {"two devices of one name",
       {local_slice("s", devices({"d0", "d0"}))},
       "node: invalid resource pools were encountered"},
      {"the fault of a pool does not matter where another one will do",
       {local_slice("s", devices({"d0", "d0"}), "a"), local_slice("t", devices({"d0"}), "b")},
       "c: r=b/d0"},
      {"two devices of one name that are for different nodes",
       {of_pool(local_slice("s", devices({"d0"})), 2),
        of_pool(with_selector(local_slice("t", devices({"d0"})), {"n2"}), 2)},
       "c: r=d0"},
      {"a counter set that is not there",
       {local_slice("s", {using_counter("d0", "set", "c")})},
       "node: invalid resource pools were encountered"},
      {"a counter that is not there",
       {of_pool(local_slice("s", {using_counter("d0", "set", "x")}), 2),
        of_pool(counter_slice("t", {kSet}), 2)},
       "node: invalid resource pools were encountered"},
      {"a counter set twice",
       {of_pool(local_slice("s", devices({"d0"})), 2), of_pool(counter_slice("t", {kSet, kSet}), 2)},
       "node: invalid resource pools were encountered"},
      {"a counter set that another node's slice has",
       {of_pool(local_slice("s", {using_counter("d0", "set", "c")}), 2),
        of_pool(with_selector(counter_slice("t", {kSet}), {"n2"}), 2)},
       "c: r=d0"},
      {"a slice with compatibility groups is missing",
       {of_pool(local_slice("s", devices({"d0"})), 2),
        of_pool(local_slice("t", {using_counter("d1", "set", "c", "group")}), 2)},
       "none"},
  };
  for (const PoolRow& row : rows) {
    CAPTURE(row.sentence);
    World world(row.slices);
    CHECK(world.ask(request("r", wants(1))) == row.answer);
  }
}

TEST_CASE("a request for all devices wants all pools to be complete and valid") {
  const PoolRow rows[] = {
      {"all of them",
       {local_slice("s", devices({"d0", "d1"})), local_slice("t", devices({"d0"}), "q")},
       "c: r=d0 r=d1 r=q/d0"},
      {"none is there", {}, "none"},
      {"a slice is missing",
       {of_pool(local_slice("s", devices({"d0"})), 2)},
       "fatal: claim ns/c, request r: asks for all devices, but resource pool gpu.example.com/pool is "
       "currently being "
       "updated"},
      {"a pool is invalid",
       {local_slice("s", devices({"d0", "d0"}))},
       "fatal: claim ns/c, request r: asks for all devices, but resource pool gpu.example.com/pool is "
       "currently "
       "invalid"},
  };
  for (const PoolRow& row : rows) {
    CAPTURE(row.sentence);
    World world(row.slices);
    CHECK(world.ask(request("r", wants_all())) == row.answer);
  }
}

TEST_CASE("the pools of a node follow its slices") {
  World world({local_slice("s", devices({"d0"}))});
  CHECK(world.ask(request("r", wants(1))) == "c: r=d0");
  SUBCASE("a slice that goes") {
    CHECK(world.inventory.remove_slice("s"));
    CHECK(world.ask(request("r", wants(1))) == "none");
    CHECK(!world.inventory.remove_slice("s"));
  }
  SUBCASE("a slice that moves to another node") {
    ResourceSlice moved = local_slice("s", devices({"d0"}));
    moved.node_name = "n2";
    world.inventory.set(moved);
    CHECK(world.ask(request("r", wants(1))) == "none");
    CHECK(world.ask(request("r", wants(1)), "n2") == "c: r=d0");
  }
  SUBCASE("a slice that gets other devices") {
    world.inventory.set(local_slice("s", devices({"d5"})));
    CHECK(world.ask(request("r", wants(1))) == "c: r=d5");
  }
  SUBCASE("a second slice of the pool") {
    world.inventory.set(of_pool(local_slice("t", devices({"d1"})), 2));
    CHECK(world.ask(request("r", wants(1))) == "none");
    world.inventory.set(of_pool(local_slice("s", devices({"d0"})), 2));
    CHECK(world.ask(request("r", wants(2))) == "c: r=d0 r=d1");
  }
}

}  // namespace winnow
