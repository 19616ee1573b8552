// What excludes each device of a node from a request.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include "cluster/devices/explanation.h"
#include "tests/cluster/devices/device_world.h"

namespace winnow {
namespace {

using namespace device_world;
using ObstacleKind = DeviceObstacle::Kind;

DeviceExplanation explain(World& world, const std::vector<ResourceClaim>& claims) {
  std::vector<const ResourceClaim*> pointers;
  for (const ResourceClaim& one : claims) pointers.push_back(&one);
  return world.allocator(pointers).explain({"n1", nullptr});
}

/// The obstacle in a few words.
std::string obstacle_text(const DeviceObstacle& obstacle) {
  const auto holders = [&] {
    std::string text;
    for (const HolderName& holder : obstacle.holders) text += " " + holder.name + (holder.assumed ? "?" : "");
    return text;
  };
  switch (obstacle.kind) {
    case ObstacleKind::kFree:
      return "free";
    case ObstacleKind::kPicked:
      return "picked";
    case ObstacleKind::kAllocated:
      return "held by" + holders();
    case ObstacleKind::kOtherPick:
      return "for " + std::to_string(obstacle.claim) + "/" + obstacle.request;
    case ObstacleKind::kSelector:
      return (obstacle.of_class ? "class selector " : "selector ") + std::to_string(obstacle.selector);
    case ObstacleKind::kError:
      return "error: " + obstacle.error;
    case ObstacleKind::kOtherNode:
      return "other node";
    case ObstacleKind::kCapacity:
      return "capacity " + obstacle.shortage.name + " " + quantity_text(obstacle.shortage.have) + "/" +
             quantity_text(obstacle.shortage.want);
    case ObstacleKind::kCounter:
      return "counter " + obstacle.counter_set + "." + obstacle.counter + " " + quantity_text(obstacle.have) +
             "/" + quantity_text(obstacle.want);
    case ObstacleKind::kTaint:
      return "taint " + obstacle.taint.key;
    case ObstacleKind::kConstraint:
      return "constraint " + std::to_string(obstacle.constraint) +
             (obstacle.other ? " with " + obstacle.other->device : "");
  }
  return "";
}

/// "REQUEST PICKED/WANTED: d0 free, d1 …" of each request.
std::string explained(World& world, const std::vector<ResourceClaim>& claims) {
  std::string text;
  for (const ExplainedRequest& one : explain(world, claims).requests) {
    text += (text.empty() ? "" : "; ") + one.request +
            (one.alternative.empty() ? "" : "/" + one.alternative) + " " + std::to_string(one.picked) + "/" +
            std::to_string(one.wanted) + (one.exceeds_limit ? "!" : "") + ":";
    for (std::size_t i = 0; i < one.devices.size(); ++i)
      text +=
          (i > 0 ? ", " : " ") + one.devices[i].name.device + " " + obstacle_text(one.devices[i].obstacle);
  }
  return text;
}

Device with_numa(std::string name, std::int64_t numa) { return named(std::move(name), {{"numa", numa}}); }

ResourceClaim one_claim(std::int64_t count, std::vector<DeviceSelector> selectors = {},
                        std::vector<DeviceConstraint> constraints = {}) {
  return claim("c", {request("r", wants(count, std::move(selectors)))}, std::move(constraints));
}

}  // namespace

TEST_CASE("each device has the first thing that excludes it") {
  const std::string numa = "gpu.example.com/numa";
  SUBCASE("claims that hold it") {
    World world({local_slice("s", devices({"d0", "d1"}))});
    world.inventory.set(holder("a", {"d0"}));
    world.inventory.assume("ns", {"b", "b-uid", *holder("b", {"d0"}).allocation});
    CHECK(explained(world, {one_claim(2)}) == "r 1/2: d0 held by a b?, d1 picked");
  }
  SUBCASE("selectors") {
    World world({local_slice("s", {with_numa("d0", 0), named("d1"), with_numa("d2", 1)})});
    world.add_class("any", {"'gpu.example.com' in device.attributes"});
    CHECK(explained(world, {one_claim(2, {"true", "device.attributes['gpu.example.com'].numa == 1"})}) ==
          "r 1/2: d0 selector 1, d1 class selector 0, d2 picked");
  }
  SUBCASE("a selector that fails") {
    World world({local_slice("s", devices({"d0"}))});
    const DeviceExplanation explanation = explain(world, {one_claim(1, {"device.attributes['x'].y"})});
    REQUIRE(explanation.error.has_value());
    CHECK(explanation.error->kind == AllocationError::Kind::kFatal);
    REQUIRE(explanation.requests.size() == 1);
    CHECK(explanation.requests.front().devices.front().obstacle.kind == ObstacleKind::kError);
  }
  SUBCASE("another node") {
    ResourceSlice slice = common_slice("s", devices({"d0", "d1"}));
    slice.all_nodes = false;
    slice.per_device_node_selection = true;
    slice.devices.front().node_name = "n2";
    slice.devices.back().node_name = "n1";
    World world({slice});
    CHECK(explained(world, {one_claim(2)}) == "r 1/2: d0 other node, d1 picked");
  }
  SUBCASE("taints") {
    std::vector<Device> two = devices({"d0", "d1"});
    two.front().taints = {{"soft", "", "None"}, {"broken", "", "NoSchedule"}};
    World world({local_slice("s", two)});
    CHECK(explained(world, {one_claim(2)}) == "r 1/2: d0 taint broken, d1 picked");
  }
  SUBCASE("capacities") {
    Device shared = named("d0");
    shared.allow_multiple_allocations = true;
    shared.capacity = {{"memory", {amount("8"), {}}}};
    World world({local_slice("s", {shared})});
    world.inventory.set(holder("a", {"d0"}, "5"));
    DeviceRequestBody body = wants(1);
    body.capacity = {{"memory", amount("2")}};
    CHECK(explained(world, {claim("c", {request("r", body), request("q", body)})}) ==
          "r 1/1: d0 picked; q 0/1: d0 capacity memory 1/2");
  }
  SUBCASE("counters") {
    const auto uses = [](const char* name, const char* much) {
      Device device = named(name);
      device.consumes_counters = {{"set", {{"c", amount(much)}}, {}}};
      return device;
    };
    ResourceSlice counters = local_slice("t", {});
    counters.shared_counters = {{"set", {{"c", amount("6")}}}};
    World world({of_pool(local_slice("s", {uses("d0", "3"), uses("d1", "2"), uses("d2", "4")}), 2),
                 of_pool(counters, 2)});
    world.inventory.set(holder("a", {"d1"}));
    CHECK(explained(world, {one_claim(2)}) == "r 1/2: d0 picked, d1 held by a, d2 counter set.c 1/4");
    world.inventory.set(holder("b", {"d1", "d2", "d0"}));
    CHECK(explained(world, {one_claim(2)}) == "r 0/2: d0 held by b, d1 held by a b, d2 held by b");
  }
  SUBCASE("constraints") {
    World world(
        {local_slice("s", {with_numa("d0", 0), with_numa("d1", 1), with_numa("d2", 1), named("d3")})});
    CHECK(explained(world, {one_claim(3, {}, {match(numa)})}) ==
          "r 2/3: d0 constraint 0 with d1, d1 picked, d2 picked, d3 constraint 0");
    CHECK(explained(world, {one_claim(3, {}, {distinct(numa)})}) ==
          "r 2/3: d0 picked, d1 picked, d2 constraint 0 with d1, d3 constraint 0");
  }
  SUBCASE("other requests and claims") {
    World world({local_slice("s", devices({"d0", "d1", "d2"}))});
    CHECK(explained(world, {claim("c", {request("r", wants(1))}),
                            claim("e", {one_of("q", {wants(3), wants(2)})})}) ==
          "r 1/1: d0 picked, d1 for 1/q/b, d2 for 1/q/b; q/a 0/3: d0 for 0/r, d1 free, d2 free; "
          "q/b 2/2: d0 for 0/r, d1 picked, d2 picked");
  }
  SUBCASE("too many devices for a claim") {
    World world({local_slice("s", devices({"d0"}))});
    CHECK(explained(world, {claim("c", {one_of("r", {wants(33), wants(2)})})}) ==
          "r/a 0/33!: d0 free; r/b 1/2: d0 picked");
  }
}

TEST_CASE("an explanation names pools that cannot be used") {
  World world({of_pool(local_slice("s", devices({"d0"}), "a"), 2),
               local_slice("t", devices({"d0", "d0"}), "b"), local_slice("u", devices({"d0"}), "c")});
  const DeviceExplanation explanation = explain(world, {one_claim(1)});
  CHECK(explanation.fits);
  REQUIRE(explanation.pools.size() == 3);
  CHECK(explanation.pools[0].state == NodePoolView::State::kIncomplete);
  CHECK(explanation.pools[0].found_slices == 1);
  CHECK(explanation.pools[0].expected_slices == 2);
  CHECK(explanation.pools[1].state == NodePoolView::State::kInvalid);
  CHECK(explanation.pools[1].invalid_reason == "duplicate device name d0");
  CHECK(explanation.pools[2].state == NodePoolView::State::kUsable);
}

TEST_CASE("an error before the search leaves no requests to explain") {
  World world({local_slice("s", devices({"d0"}))});
  DeviceRequestBody body = wants(1);
  body.device_class_name = "missing";
  const DeviceExplanation explanation = explain(world, {claim("c", {request("r", body)})});
  CHECK(!explanation.fits);
  CHECK(explanation.error.has_value());
  CHECK(explanation.requests.empty());
  CHECK(explanation.pools.size() == 1);
}

}  // namespace winnow
