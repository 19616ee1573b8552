// Which devices claims get: counts, constraints, counters, alternatives, and what is taken back on the way.
#include "cluster/devices/allocator.h"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "tests/cluster/devices/device_world.h"

namespace winnow {
namespace {

using namespace device_world;

Device numa(std::string name, std::int64_t node) { return named(std::move(name), {{"numa", node}}); }

Device using_counters(std::string name, const char* of_c, const char* of_d = "0") {
  Device device = named(std::move(name));
  device.consumes_counters = {{"set", {{"c", amount(of_c)}, {"d", amount(of_d)}}, {}}};
  return device;
}

/// A pool with 4 of the counter c and 2 of d.
std::vector<ResourceSlice> partitioned(std::vector<Device> devices) {
  ResourceSlice counters = local_slice("counters", {});
  counters.shared_counters = {{"set", {{"c", amount("4")}, {"d", amount("2")}}}};
  return {of_pool(local_slice("s", std::move(devices)), 2), of_pool(counters, 2)};
}

DeviceRequestBody of_class(DeviceRequestBody body, std::string name) {
  body.device_class_name = std::move(name);
  return body;
}

DeviceRequestBody by_admin(DeviceRequestBody body) {
  body.admin_access = true;
  return body;
}

struct ClaimsRow {
  const char* sentence;
  std::vector<ResourceClaim> claims;
  std::string answer;
};

void check_rows(World& world, std::span<const ClaimsRow> rows) {
  for (const ClaimsRow& row : rows) {
    CAPTURE(row.sentence);
    CHECK(world.ask(row.claims) == row.answer);
  }
}

std::vector<Device> many(int count) {
  std::vector<Device> made;
  for (int i = 0; i < count; ++i) made.push_back(named("d" + std::to_string(i)));
  return made;
}

}  // namespace

TEST_CASE("requests get the first devices that are free") {
  World world({local_slice("s", devices({"d0", "d1", "d2", "d3"}))});
  world.inventory.set(holder("held", {"d1"}));
  const ClaimsRow rows[] = {
      {"one", {claim("c", {request("r", wants(1))})}, "c: r=d0"},
      {"several skip what is held", {claim("c", {request("r", wants(3))})}, "c: r=d0 r=d2 r=d3"},
      {"too many", {claim("c", {request("r", wants(4))})}, "none"},
      {"two requests", {claim("c", {request("r", wants(1)), request("q", wants(1))})}, "c: r=d0 q=d2"},
      {"two claims",
       {claim("c", {request("r", wants(2))}), claim("e", {request("r", wants(1))})},
       "c: r=d0 r=d2; e: r=d3"},
      {"all, where one is held", {claim("c", {request("r", wants_all())})}, "none"},
      {"admin access takes what is held", {claim("c", {request("r", by_admin(wants(2)))})}, "c: r=d0 r=d1"},
      {"admin access to all", {claim("c", {request("r", by_admin(wants_all()))})}, "c: r=d0 r=d1 r=d2 r=d3"},
      {"admin access takes nothing from other claims",
       {claim("c", {request("r", by_admin(wants(1)))}), claim("e", {request("r", by_admin(wants(1)))})},
       "c: r=d0; e: r=d0"},
      {"but within a claim each device comes once",
       {claim("c", {request("r", wants(1)), request("q", by_admin(wants(1)))})},
       "c: r=d0 q=d1"},
      {"no requests", {claim("c", {})}, "c:"},
      {"no claims", {}, ""},
  };
  check_rows(world, rows);
}

TEST_CASE("a claim that is unfit ends the allocation in upstream's words") {
  World world({local_slice("s", many(40))});
  DeviceRequestBody derived = wants(1), odd = wants(1);
  derived.has_derived_attributes = true;
  odd.allocation_mode = "Odd";
  const ClaimsRow rows[] = {
      {"no class",
       {claim("c", {request("r", of_class(wants(1), ""))})},
       "fatal: claim ns/c, request r: missing device class name (unsupported request type?)"},
      {"a request of an unknown type",
       {claim("c", {{"r", {}, {}}})},
       "fatal: claim ns/c, request r: missing device class name (unsupported request type?)"},
      {"a class that is not there",
       {claim("c", {request("r", of_class(wants(1), "x"))})},
       "fatal: claim ns/c, request r: could not retrieve device class x: deviceclass.resource.k8s.io \"x\" "
       "not found"},
      {"an alternative",
       {claim("c", {one_of("r", {wants(1), of_class(wants(1), "")})})},
       "fatal: claim ns/c, request b: missing device class name (unsupported request type?)"},
      {"a selector of another kind",
       {claim("c", {request("r", wants(1, {"true", std::nullopt}))})},
       "fatal: claim ns/c, request r, selector #1: CEL expression empty (unsupported selector type?)"},
      {"derived attributes",
       {claim("c", {request("r", derived)})},
       "fatal: claim ns/c, request r: cannot handle request with derived attributes, the feature is "
       "disabled"},
      {"another mode",
       {claim("c", {request("r", odd)})},
       "fatal: claim ns/c, request r: unsupported count mode Odd"},
      {"a constraint of another kind",
       {claim("c", {request("r", wants(1))}, {match("x"), {}})},
       "fatal: claim ns/c, constraint #1: empty constraint (unsupported constraint type?)"},
      {"more devices than a claim may have",
       {claim("c", {request("r", wants(20)), request("q", wants(13))})},
       "fatal: claim ns/c, request q: adding 13 devices exceeds the claim limit of 32, with 20 already "
       "accounted for"},
      {"all are more than a claim may have",
       {claim("c", {request("r", wants_all())})},
       "fatal: claim ns/c, request r: adding 40 devices exceeds the claim limit of 32, with 0 already "
       "accounted for"},
      {"the alternative with the fewest counts",
       {claim("c", {request("r", wants(20)), one_of("q", {wants(13), wants(2)})})},
       "c: r=d0 r=d1 r=d2 r=d3 r=d4 r=d5 r=d6 r=d7 r=d8 r=d9 r=d10 r=d11 r=d12 r=d13 r=d14 r=d15 r=d16 r=d17 "
       "r=d18 "
       "r=d19 q/b=d20 q/b=d21"},
  };
  check_rows(world, rows);
}

TEST_CASE("devices of a claim match, or differ") {
  World world({local_slice(
      "s", {numa("d0", 0), numa("d1", 1), numa("d2", 1), numa("d3", 0), numa("d4", 2), named("d5")})});
  const std::string attribute = "gpu.example.com/numa";
  const ClaimsRow rows[] = {
      {"two that match", {claim("c", {request("r", wants(2))}, {match(attribute)})}, "c: r=d0 r=d3"},
      {"three that match", {claim("c", {request("r", wants(3))}, {match(attribute)})}, "none"},
      {"over two requests",
       {claim("c", {request("r", wants(1)), request("q", wants(1))}, {match(attribute)})},
       "c: r=d0 q=d3"},
      {"one request alone",
       {claim("c", {request("r", wants(2)), request("q", wants(1))}, {match(attribute, {"r"})})},
       "c: r=d0 r=d3 q=d1"},
      {"two that differ", {claim("c", {request("r", wants(2))}, {distinct(attribute)})}, "c: r=d0 r=d1"},
      {"three that differ",
       {claim("c", {request("r", wants(3))}, {distinct(attribute)})},
       "c: r=d0 r=d1 r=d4"},
      {"four that differ", {claim("c", {request("r", wants(4))}, {distinct(attribute)})}, "none"},
      {"an attribute that none has",
       {claim("c", {request("r", wants(1))}, {match("gpu.example.com/x")})},
       "none"},
      {"an attribute of another domain", {claim("c", {request("r", wants(1))}, {match("x/numa")})}, "none"},
      {"all of them, one of which lacks it",
       {claim("c", {request("r", wants_all())}, {match(attribute)})},
       "fatal: claim ns/c, request r: cannot add device gpu.example.com/pool/d1 because a claim constraint "
       "would not be "
       "satisfied"},
      {"an alternative by its name",
       {claim("c", {one_of("r", {wants(3), wants(2)})},
              {match(attribute, {"r/b"}), distinct(attribute, {"r/a"})})},
       "c: r/a=d0 r/a=d1 r/a=d4"},
      {"alternatives by their request",
       {claim("c", {one_of("r", {wants(3), wants(2)})}, {match(attribute, {"r"})})},
       "c: r/b=d0 r/b=d3"},
  };
  check_rows(world, rows);
}

TEST_CASE("what leads nowhere is taken back") {
  World world({local_slice("s", {numa("d0", 0), numa("d1", 1), numa("d2", 1)})});
  const DeviceSelector first = "device.attributes['gpu.example.com'].numa == 0";
  const std::string attribute = "gpu.example.com/numa";
  const ClaimsRow rows[] = {
      {"within a request", {claim("c", {request("r", wants(2))}, {match(attribute)})}, "c: r=d1 r=d2"},
      {"a later request needs the first device",
       {claim("c", {request("r", wants(1)), request("q", wants(1, {first}))})},
       "c: r=d1 q=d0"},
      {"a later claim needs it",
       {claim("c", {request("r", wants(2))}), claim("e", {request("r", wants(1, {first}))})},
       "c: r=d1 r=d2; e: r=d0"},
      {"a later request needs another alternative",
       {claim("c", {one_of("r", {wants(2, {"true"}), wants(1, {"true"})}), request("q", wants(2))})},
       "c: r/b=d0 q=d1 q=d2"},
      {"nothing helps", {claim("c", {request("r", wants(2)), request("q", wants(2))})}, "none"},
  };
  check_rows(world, rows);
}

TEST_CASE("the first alternative that can be had is taken") {
  World world({local_slice("s", devices({"d0", "d1", "d2"}))});
  const ClaimsRow rows[] = {
      {"the first", {claim("c", {one_of("r", {wants(2), wants(1)})})}, "c: r/a=d0 r/a=d1"},
      {"the second", {claim("c", {one_of("r", {wants(4), wants(1)})})}, "c: r/b=d0"},
      {"none", {claim("c", {one_of("r", {wants(4), wants(5)})})}, "none"},
  };
  check_rows(world, rows);
}

TEST_CASE("alternatives give way where a claim would have too many devices") {
  World world({local_slice("s", many(60))});
  const std::vector<ResourceClaim> claims = {
      claim("c", {one_of("r", {wants(30), wants(1)}), one_of("q", {wants(20), wants(31)})})};
  const auto allocated = world.allocate(claims);
  REQUIRE(allocated.has_value());
  REQUIRE(allocated->has_value());
  const std::vector<AllocatedDevice>& taken = (**allocated).front().devices;
  CHECK(taken.size() == 21);
  CHECK(taken.front().request == "r/b");
  CHECK(taken.back().request == "q/a");
}

TEST_CASE("the score of alternatives is larger for earlier ones") {
  World world({local_slice("s", devices({"d0", "d1"}))});
  struct ScoreRow {
    const char* sentence;
    std::vector<ClaimRequest> requests;
    std::int64_t score;
  };
  const ScoreRow rows[] = {
      {"no alternatives", {request("r", wants(2))}, 0},
      {"the first", {one_of("r", {wants(2), wants(1)})}, 8},
      {"the second", {one_of("r", {wants(3), wants(1)})}, 7},
      {"of two requests", {one_of("r", {wants(1)}), one_of("q", {wants(3), wants(1)})}, 15},
  };
  for (const ScoreRow& row : rows) {
    CAPTURE(row.sentence);
    const ResourceClaim asked = claim("c", row.requests);
    const ResourceClaim* const claims[] = {&asked};
    const auto fit = world.allocator(claims).fits({"n1", nullptr});
    REQUIRE(fit.has_value());
    CHECK(fit->fits);
    CHECK(fit->alternatives_score == row.score);
  }
}

TEST_CASE("devices share the counters of their pool") {
  World world(partitioned({using_counters("d0", "3"), using_counters("d1", "2", "1"),
                           using_counters("d2", "2", "2"), named("free")}));
  const ClaimsRow rows[] = {
      {"one", {claim("c", {request("r", wants(1))})}, "c: r=d0"},
      {"the second does not go with the first", {claim("c", {request("r", wants(2))})}, "c: r=d0 r=free"},
      {"one counter suffices, the other does not", {claim("c", {request("r", wants(3))})}, "none"},
      {"over claims",
       {claim("c", {request("r", wants(1))}), claim("e", {request("r", wants(1))})},
       "c: r=d0; e: r=free"},
      {"all of them", {claim("c", {request("r", wants_all())})}, "none"},
  };
  check_rows(world, rows);
  SUBCASE("devices that are held have theirs") {
    world.inventory.set(holder("held", {"d1"}));
    CHECK(world.ask(request("r", wants(1))) == "c: r=free");
    world.inventory.remove_claim("ns", "held");
    CHECK(world.ask(request("r", wants(1))) == "c: r=d0");
  }
  SUBCASE("a counter below zero stops all devices that use any") {
    world.inventory.set(holder("held", {"d1", "d2"}));
    CHECK(world.ask(request("r", wants(1))) == "c: r=free");
    world.inventory.set(holder("more", {"d0"}));
    CHECK(world.ask(request("r", by_admin(wants(1)))) == "c: r=free");
  }
}

TEST_CASE("shares of a device use its counters once") {
  Device shared = using_counters("d0", "3");
  shared.allow_multiple_allocations = true;
  shared.capacity = {{"memory", {amount("4"), {}}}};
  World world(partitioned({shared, using_counters("d1", "1"), using_counters("d2", "1")}));
  DeviceRequestBody one = wants(1);
  one.capacity = {{"memory", amount("1")}};
  CHECK(world.ask({claim("c", {request("r", one), request("q", one)})}) == "c: r=d0 q=d0");
  CHECK(world.ask({claim("c", {request("r", one), request("q", wants(2))})}) == "none");
  world.inventory.set(holder("held", {"d0"}, "1"));
  CHECK(world.ask({claim(
            "c", {request("r", one), request("q", wants(1, {"!device.allowMultipleAllocations"}))})}) ==
        "c: r=d0 q=d1");
}

TEST_CASE("an allocation says which nodes can use it") {
  const auto selector_of = [](World& world) -> std::optional<NodeSelector> {
    const auto allocated = world.allocate({claim("c", {request("r", wants(2))})});
    REQUIRE(allocated.has_value());
    REQUIRE(allocated->has_value());
    return (**allocated).front().node_selector;
  };
  const NodeSelector this_node{{{.match_fields = {{"metadata.name", "In", {"n1"}}}}}};
  const auto of_zones = [](std::string name, std::vector<std::string> zones, std::string pool) {
    ResourceSlice slice = common_slice(std::move(name), devices({"d0"}), std::move(pool));
    slice.all_nodes = false;
    slice.node_selector = NodeSelector{{{.match_expressions = {{"zone", "In", std::move(zones)}}}}};
    return slice;
  };
  SUBCASE("devices of the node") {
    World world({local_slice("s", devices({"d0", "d1"}))});
    CHECK(selector_of(world) == this_node);
  }
  SUBCASE("devices of all nodes") {
    World world({common_slice("s", devices({"d0", "d1"}))});
    CHECK(!selector_of(world).has_value());
  }
  SUBCASE("a device that binds to the node") {
    std::vector<Device> two = devices({"d0", "d1"});
    two.back().binds_to_node = true;
    World world({common_slice("s", two)});
    CHECK(selector_of(world) == this_node);
  }
  SUBCASE("a requirement that is there comes once") {
    World world({of_zones("s", {"n1", "n2"}, "p"), of_zones("t", {"n2", "n1"}, "q")});
    CHECK(selector_of(world) == NodeSelector{{{.match_expressions = {{"zone", "In", {"n1", "n2"}}}}}});
  }
  SUBCASE("requirements of two slices") {
    World world({of_zones("s", {"n1", "n2"}, "p"), of_zones("t", {"n1"}, "q")});
    CHECK(selector_of(world) ==
          NodeSelector{{{.match_expressions = {{"zone", "In", {"n1", "n2"}}, {"zone", "In", {"n1"}}}}}});
  }
  SUBCASE("a device that names its node") {
    ResourceSlice slice = common_slice("s", devices({"d0", "d1"}));
    slice.all_nodes = false;
    slice.per_device_node_selection = true;
    slice.devices.front().node_name = "n1";
    slice.devices.back().all_nodes = true;
    World world({slice});
    CHECK(selector_of(world) == this_node);
  }
  SUBCASE("a selector with two terms") {
    ResourceSlice slice = of_zones("s", {"n1"}, "pool");
    slice.node_selector->terms.push_back(slice.node_selector->terms.front());
    World world({slice});
    CHECK(world.ask(request("r", wants(1))) ==
          "fatal: create NodeSelector for claim c: unsupported ResourceSlice.NodeSelector with 2 terms");
  }
}

TEST_CASE("an allocation has the device's binding conditions, and whether it is by admin access") {
  std::vector<Device> one = devices({"d0"});
  one.front().binding_conditions = {"ready"};
  one.front().binding_failure_conditions = {"broken"};
  World world({local_slice("s", one)});
  const auto allocated = world.allocate({claim("c", {request("r", by_admin(wants(1)))})});
  REQUIRE(allocated.has_value());
  REQUIRE(allocated->has_value());
  const AllocatedDevice& device = (**allocated).front().devices.front();
  CHECK(device == AllocatedDevice{.request = "r",
                                  .driver = kGpu,
                                  .pool = "pool",
                                  .device = "d0",
                                  .admin_access = true,
                                  .binding_conditions = {"ready"},
                                  .binding_failure_conditions = {"broken"}});
}

TEST_CASE("a search ends when its time is over") {
  World world({local_slice("s", devices({"d0"}))});
  world.options.deadline = std::chrono::steady_clock::now() - std::chrono::seconds(1);
  CHECK(world.ask(request("r", wants(1))) ==
        "timed out: filter operation aborted: context deadline exceeded");
  world.options.deadline = DeviceAllocator::Time::max();
  world.options.node_timeout = std::chrono::nanoseconds(1);
  // Any two of these differ: all sets of 20 are tried in vain, which would take for ever.
  std::vector<Device> all = many(30);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].attributes = {{"x", static_cast<std::int64_t>(i / 2)}};
  world.inventory.set(local_slice("s", all));
  const ResourceClaim endless = claim("c", {request("r", wants(20))}, {distinct("gpu.example.com/x")});
  CHECK(world.ask({endless}) == "timed out: filter operation aborted: context deadline exceeded");
}

TEST_CASE("threads ask one allocator at once") {
  std::vector<ResourceSlice> slices;
  for (int node = 0; node < 50; ++node) {
    ResourceSlice slice =
        local_slice("s" + std::to_string(node), {numa("d0", 0), numa("d1", 1), numa("d2", 1)},
                    "p" + std::to_string(node));
    slice.node_name = "n" + std::to_string(node);
    slices.push_back(std::move(slice));
  }
  World world(slices);
  const ResourceClaim asked =
      claim("c", {request("r", wants(2, {"has(device.attributes['gpu.example.com'].numa)"}))},
            {match("gpu.example.com/numa")});
  const ResourceClaim* const claims[] = {&asked};
  const DeviceAllocator allocator = world.allocator(claims);
  std::vector<int> fits(2);
  {
    std::vector<std::jthread> threads;
    for (int& count : fits)
      threads.emplace_back([&] {
        for (int node = 0; node < 50; ++node)
          if (const auto fit = allocator.fits({"n" + std::to_string(node), nullptr}); fit && fit->fits)
            ++count;
      });
  }
  CHECK(fits == std::vector{50, 50});
}

}  // namespace winnow
