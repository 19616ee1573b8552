// Which claims hold a device, over the events of claims.
#include "cluster/devices/inventory.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "tests/cluster/devices/device_world.h"

namespace winnow {
namespace {

using namespace device_world;

/// The claims that hold the device, as "name" or "name (assumed)".
std::string holders_of(const DeviceInventory& inventory, std::string_view device) {
  std::string text;
  for (const DeviceHolder& holder : inventory.holders(kGpu, "pool", device))
    text += (text.empty() ? "" : " ") + holder.holding->name + (holder.holding->assumed ? " (assumed)" : "");
  return text;
}

ResourceClaim without_allocation(ResourceClaim claim) {
  claim.allocation.reset();
  return claim;
}

}  // namespace

TEST_CASE("a claim holds its devices until it loses them") {
  DeviceInventory inventory;
  inventory.set(holder("a", {"d0", "d1"}));
  CHECK(holders_of(inventory, "d0") == "a");
  CHECK(inventory.find_claim("ns", "a") != nullptr);
  SUBCASE("it loses the allocation") {
    inventory.set(without_allocation(holder("a", {})));
    CHECK(holders_of(inventory, "d0") == "");
    CHECK(inventory.find_claim("ns", "a") != nullptr);
  }
  SUBCASE("it goes") {
    CHECK(inventory.remove_claim("ns", "a"));
    CHECK(holders_of(inventory, "d1") == "");
    CHECK(!inventory.remove_claim("ns", "a"));
    CHECK(inventory.claims().empty());
  }
  SUBCASE("another one of its name has others") {
    ResourceClaim other = holder("a", {"d2"});
    other.metadata.uid = "other";
    inventory.set(other);
    CHECK(holders_of(inventory, "d0") == "");
    CHECK(holders_of(inventory, "d2") == "a");
  }
  SUBCASE("it is set again") {
    ResourceClaim again = holder("a", {"d0", "d1"});
    again.reserved_for = {{"", "pods", "p", "u"}};
    inventory.set(again);
    CHECK(holders_of(inventory, "d0") == "a");
    CHECK(inventory.find_claim("ns", "a")->reserved_for.size() == 1);
  }
}

TEST_CASE("a device that two claims hold is held until both have gone") {
  DeviceInventory inventory;
  inventory.set(holder("a", {"d0"}));
  inventory.set(holder("b", {"d0"}));
  CHECK(holders_of(inventory, "d0") == "a b");
  inventory.remove_claim("ns", "a");
  CHECK(holders_of(inventory, "d0") == "b");
}

TEST_CASE("an assumed allocation holds its devices until the API shows one") {
  DeviceInventory inventory;
  const ResourceClaim unallocated = without_allocation(holder("a", {}));
  const DeviceAllocation allocation = *holder("a", {"d0"}).allocation;
  inventory.set(unallocated);
  inventory.assume("ns", {"a", "a-uid", allocation});
  CHECK(holders_of(inventory, "d0") == "a (assumed)");
  REQUIRE(inventory.assumed("a-uid") != nullptr);
  CHECK(inventory.assumed("a-uid")->allocation == allocation);
  SUBCASE("the claim is set without an allocation") {
    inventory.set(unallocated);
    CHECK(holders_of(inventory, "d0") == "a (assumed)");
  }
  SUBCASE("the claim is set with one") {
    inventory.set(holder("a", {"d0"}));
    CHECK(holders_of(inventory, "d0") == "a");
    CHECK(inventory.assumed("a-uid") == nullptr);
    inventory.assume("ns", {"a", "a-uid", allocation});
    CHECK(holders_of(inventory, "d0") == "a");
  }
  SUBCASE("the claim goes") {
    inventory.remove_claim("ns", "a");
    CHECK(holders_of(inventory, "d0") == "");
  }
  SUBCASE("another claim takes its name") {
    ResourceClaim other = unallocated;
    other.metadata.uid = "other";
    inventory.set(other);
    CHECK(holders_of(inventory, "d0") == "");
  }
  SUBCASE("it is forgotten") {
    inventory.forget("a-uid");
    inventory.forget("a-uid");
    CHECK(holders_of(inventory, "d0") == "");
  }
  SUBCASE("it is replaced") {
    inventory.assume("ns", {"a", "a-uid", *holder("a", {"d1"}).allocation});
    CHECK(holders_of(inventory, "d0") == "");
    CHECK(holders_of(inventory, "d1") == "a (assumed)");
  }
  SUBCASE("a claim that nobody has set") {
    inventory.assume("ns", {"x", "x-uid", *holder("x", {"d1"}).allocation});
    CHECK(holders_of(inventory, "d1") == "x (assumed)");
  }
}

TEST_CASE("admin access holds nothing") {
  DeviceInventory inventory;
  ResourceClaim admin = holder("a", {"d0"});
  admin.allocation->devices.front().admin_access = true;
  inventory.set(admin);
  CHECK(holders_of(inventory, "d0") == "");
  inventory.remove_claim("ns", "a");
}

TEST_CASE("a device keeps its claims while its slice comes and goes") {
  World world;
  world.inventory.set(holder("a", {"d0"}));
  world.inventory.set(local_slice("s", devices({"d0", "d1"})));
  CHECK(world.ask(request("r", wants(1))) == "c: r=d1");
  world.inventory.remove_slice("s");
  CHECK(holders_of(world.inventory, "d0") == "a");
  world.inventory.set(local_slice("s", devices({"d0", "d1"})));
  CHECK(world.ask(request("r", wants(1))) == "c: r=d1");
  world.inventory.remove_claim("ns", "a");
  CHECK(world.ask(request("r", wants(1))) == "c: r=d0");
}

TEST_CASE("each change raises the version") {
  DeviceInventory inventory;
  std::uint64_t last = inventory.version();
  const auto has_grown = [&] { return inventory.version() > std::exchange(last, inventory.version()); };
  inventory.set(local_slice("s", devices({"d0"})));
  CHECK(has_grown());
  inventory.set(holder("a", {"d0"}));
  CHECK(has_grown());
  inventory.assume("ns", {"b", "b-uid", *holder("b", {"d1"}).allocation});
  CHECK(has_grown());
  inventory.forget("b-uid");
  CHECK(has_grown());
  inventory.remove_claim("ns", "a");
  CHECK(has_grown());
  inventory.remove_slice("s");
  CHECK(has_grown());
  CHECK(inventory.slices().empty());
}

}  // namespace winnow
