// What requests take of capacities, with policies.
#include "cluster/devices/capacity.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/cluster/devices/device_world.h"

namespace winnow {
namespace {

using namespace device_world;

std::optional<Quantity> amount_or_none(const char* text) {
  return text == nullptr ? std::nullopt : std::optional(amount(text));
}

CapacityRequestPolicy range(const char* least, const char* most, const char* step,
                            const char* preset = nullptr) {
  CapacityRequestPolicy policy;
  policy.default_ = amount_or_none(preset);
  policy.has_range = true;
  policy.range_min = amount_or_none(least);
  policy.range_max = amount_or_none(most);
  policy.range_step = amount_or_none(step);
  return policy;
}

CapacityRequestPolicy values(std::vector<const char*> texts, const char* preset = nullptr) {
  CapacityRequestPolicy policy;
  policy.default_ = amount_or_none(preset);
  for (const char* text : texts) policy.valid_values.push_back(amount(text));
  return policy;
}

std::string shortage_text(const CapacityShortage& shortage) {
  static constexpr const char* kKinds[] = {"fits", "missing", "policy", "exhausted"};
  return kKinds[static_cast<std::size_t>(shortage.kind)];
}

Device sharing(std::string name, const char* memory, std::optional<CapacityRequestPolicy> policy = {}) {
  Device device = named(std::move(name));
  device.allow_multiple_allocations = true;
  device.capacity = {{"memory", {amount(memory), std::move(policy)}}};
  return device;
}

ClaimRequest wants_memory(const char* memory, std::int64_t count = 1) {
  DeviceRequestBody body = wants(count);
  body.capacity = {{"memory", amount(memory)}};
  return request("r", std::move(body));
}

}  // namespace

TEST_CASE("a request takes what the policy makes of it") {
  struct ShareRow {
    const char* sentence;
    std::optional<CapacityRequestPolicy> policy;
    const char* wanted;  ///< Null: no request.
    std::string taken;   ///< Or the error.
    std::string verdict;
  };
  const std::string unfit =
      "capacity \"memory\": capacity request cannot be represented in the device's range arithmetic: ";
  const ShareRow rows[] = {
      {"no policy and no request take all", {}, nullptr, "8", "fits"},
      {"no policy takes what is wanted", {}, "3", "3", "fits"},
      {"more than there is", {}, "9", "9", "exhausted"},
      {"an amount below zero", {}, "-1", "capacity \"memory\": capacity value is negative", ""},
      {"the default", values({"1", "2"}, "2"), nullptr, "2", "fits"},
      {"no default takes all, which the policy may not have", values({"1", "2"}), nullptr, "8", "policy"},
      {"the next value", values({"1", "2", "4"}), "3", "4", "fits"},
      {"beyond the last value", values({"1", "2"}), "3", "3", "policy"},
      {"the least of a range", range("2", nullptr, nullptr), "1", "2", "fits"},
      {"within a range", range("2", nullptr, nullptr), "3", "3", "fits"},
      {"beyond a range", range("1", "4", nullptr), "5", "5", "policy"},
      {"the next step", range("1", nullptr, "3"), "5", "7", "fits"},
      {"on a step", range("1", nullptr, "3"), "4", "4", "fits"},
      {"the next step is beyond the range", range("1", "4", "2"), "4", "5", "policy"},
      {"a fraction of a step is a whole one", range("1", nullptr, "500m"), "1200m", "2", "fits"},
      {"a step finer than a thousandth counts in units", range("1", nullptr, "1500u"), "2", "2", "fits"},
      {"a wish finer than a thousandth", range("1", nullptr, "1"), "1500u", "1", "fits"},
      {"a wish that is no thousandth", range("1", nullptr, "1"), "1000001u", "2", "fits"},
      {"a wish that is no int64", range("1", nullptr, "1u"), "9223372036854775808",
       unfit + "request 9223372036854775808 exceeds MaxInt64", ""},
      {"a step beyond int64", range("1", nullptr, "1u"), "9223372036854775807", "9223372036854775807",
       "exhausted"},
      {"a range without a least amount", range(nullptr, "4", nullptr), "5", "5", "policy"},
      {"a policy without anything", CapacityRequestPolicy(), "5", "5", "fits"},
  };
  for (const ShareRow& row : rows) {
    CAPTURE(row.sentence);
    const DeviceCapacities capacities = {{"memory", {amount("8"), row.policy}}};
    ResourceList requests;
    if (row.wanted != nullptr) requests = {{"memory", amount(row.wanted)}};
    const auto share = capacity_share(capacities, &requests);
    const auto shortage = find_shortage({.capacities = capacities, .requests = &requests});
    REQUIRE(share.has_value() == shortage.has_value());
    if (!share) {
      CHECK(share.error() == row.taken);
      continue;
    }
    CHECK(share->front() == amount(row.taken));
    CHECK(shortage_text(*shortage) == row.verdict);
  }
}

TEST_CASE("a request for a capacity that the device lacks does not fit") {
  const DeviceCapacities capacities = {{"memory", {amount("8"), {}}}};
  const ResourceList requests = {{"cores", amount("1")}};
  CHECK(shortage_text(find_shortage({.capacities = capacities, .requests = &requests}).value()) == "missing");
}

TEST_CASE("what others take counts") {
  const DeviceCapacities capacities = {{"memory", {amount("8"), {}}}};
  const ResourceList requests = {{"memory", amount("3")}};
  const TakenCapacity taken = {{"memory", amount("3")}};
  const CapacityShare allocating = {amount("3")};
  CHECK(shortage_text(find_shortage({capacities, &requests, &taken, nullptr}).value()) == "fits");
  const CapacityShortage shortage = find_shortage({capacities, &requests, &taken, &allocating}).value();
  CHECK(shortage_text(shortage) == "exhausted");
  CHECK(shortage.name == "memory");
  CHECK(shortage.want == amount("3"));
  CHECK(shortage.have == amount("2"));
}

TEST_CASE("shares of a device are given until it is full") {
  World world({local_slice("s", {sharing("d0", "8Gi"), sharing("d1", "8Gi")})});
  CHECK(world.ask(wants_memory("5Gi")) == "c: r=d0");
  CHECK(world.ask(wants_memory("5Gi", 2)) == "c: r=d0 r=d1");
  CHECK(world.ask(wants_memory("5Gi", 3)) == "none");
  CHECK(world.ask(wants_memory("9Gi")) == "none");
  // Two requests share one device, and two claims, too.
  ClaimRequest other = wants_memory("3Gi");
  other.name = "q";
  CHECK(world.ask({claim("c", {wants_memory("5Gi"), other})}) == "c: r=d0 q=d0");
  CHECK(world.ask({claim("c", {wants_memory("5Gi")}), claim("e", {wants_memory("5Gi")})}) ==
        "c: r=d0; e: r=d1");
  world.inventory.set(holder("held", {"d0"}, "4Gi"));
  CHECK(world.ask(wants_memory("5Gi")) == "c: r=d1");
  CHECK(world.ask(wants_memory("4Gi")) == "c: r=d0");
  world.inventory.set(holder("more", {"d0"}, "4Gi"));
  CHECK(world.ask(wants_memory("1")) == "c: r=d1");
  world.inventory.remove_claim("ns", "held");
  CHECK(world.ask(wants_memory("4Gi")) == "c: r=d0");
  CHECK(world.ask(wants_memory("5Gi")) == "c: r=d1");
}

TEST_CASE("a share says what it takes") {
  World world({local_slice("s", {sharing("d0", "8Gi", range("1Gi", nullptr, "1Gi"))})});
  const auto allocated =
      world.allocate({claim("c", {wants_memory("1500Mi")}), claim("e", {wants_memory("1Gi")})});
  REQUIRE(allocated.has_value());
  REQUIRE(allocated->has_value());
  const AllocatedDevice& first = (**allocated)[0].devices.front();
  const AllocatedDevice& second = (**allocated)[1].devices.front();
  CHECK(first.consumed_capacity == ResourceList{{"memory", amount("2Gi")}});
  REQUIRE(first.share_id.has_value());
  CHECK(first.share_id->size() == 36);
  CHECK(first.share_id != second.share_id);
}

TEST_CASE("a request for all devices fails where one of them is full") {
  World world({local_slice("s", {sharing("d0", "8"), sharing("d1", "4")})});
  DeviceRequestBody all = wants_all();
  all.capacity = {{"memory", amount("5")}};
  CHECK(world.ask(request("r", all)) == "c: r=d0");
  world.inventory.set(holder("held", {"d0"}, "4"));
  CHECK(world.ask(request("r", all)) == "none");
}

TEST_CASE("an amount that cannot be computed with ends the allocation") {
  World world({local_slice("s", {sharing("d0", "8", range("1", nullptr, "1"))})});
  CHECK(
      world.ask(wants_memory("9223372036854775808")) ==
      "fatal: claim ns/c, request r: checking capacity for device gpu.example.com/pool/d0: capacity "
      "\"memory\": "
      "capacity request cannot be represented in the device's range arithmetic: request 9223372036854775808 "
      "exceeds MaxInt64");
}

}  // namespace winnow
