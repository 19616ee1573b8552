// Taints of devices, by their slices and by rules.
#include "cluster/devices/taints.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/cluster/devices/device_world.h"

namespace winnow {
namespace {

using namespace device_world;

DeviceTaintRule make_rule(std::string name, std::optional<std::string> driver,
                          std::optional<std::string> pool, std::optional<std::string> device,
                          const char* effect = "NoSchedule") {
  DeviceTaintRule rule;
  rule.metadata.name = std::move(name);
  rule.has_selector = true;
  rule.driver = std::move(driver);
  rule.pool = std::move(pool);
  rule.device = std::move(device);
  rule.taint = {"key", "value", effect};
  return rule;
}

/// The names of the devices that can be allocated.
std::string free_devices(World& world) {
  std::string text;
  for (std::int64_t count = 3; count > 0 && text.empty(); --count) {
    const auto allocated = world.allocate({claim("c", {request("r", wants(count))})});
    if (!allocated || !*allocated) continue;
    for (const AllocatedDevice& device : (**allocated).front().devices)
      text += (text.empty() ? "" : " ") + (device.pool == "pool" ? "" : device.pool + "/") + device.device;
  }
  return text;
}

}  // namespace

TEST_CASE("a toleration is of taints with its key, value and effect") {
  const DeviceTaint taint{"key", "value", "NoSchedule"};
  struct TolerationRow {
    const char* sentence;
    DeviceToleration toleration;
    bool tolerates;
  };
  const TolerationRow rows[] = {
      {"equal", {"key", "Equal", "value", "NoSchedule"}, true},
      {"no operator is Equal", {"key", "", "value", "NoSchedule"}, true},
      {"another value", {"key", "Equal", "other", "NoSchedule"}, false},
      {"any value", {"key", "Exists", "other", "NoSchedule"}, true},
      {"another key", {"other", "Exists", "", "NoSchedule"}, false},
      {"any key", {"", "Exists", "", ""}, true},
      {"any key with the value", {"", "Equal", "value", ""}, true},
      {"another effect", {"key", "Exists", "", "NoExecute"}, false},
      {"any effect", {"key", "Exists", "", ""}, true},
      {"another operator", {"key", "In", "value", ""}, false},
  };
  for (const TolerationRow& row : rows) {
    CAPTURE(row.sentence);
    CHECK(tolerates(row.toleration, taint) == row.tolerates);
  }
}

TEST_CASE("a device with a taint that is not tolerated is not taken") {
  struct TaintRow {
    const char* sentence;
    std::vector<DeviceTaint> taints;
    std::vector<DeviceToleration> tolerations;
    std::string answer;
  };
  const TaintRow rows[] = {
      {"no taint", {}, {}, "c: r=d0"},
      {"NoSchedule", {{"k", "", "NoSchedule"}}, {}, "c: r=d1"},
      {"NoExecute", {{"k", "", "NoExecute"}}, {}, "c: r=d1"},
      {"None", {{"k", "", "None"}}, {}, "c: r=d0"},
      {"an effect that is not known", {{"k", "", "Odd"}}, {}, "c: r=d0"},
      {"tolerated", {{"k", "", "NoSchedule"}}, {{"k", "Exists", "", ""}}, "c: r=d0"},
      {"one of two is tolerated",
       {{"k", "", "NoSchedule"}, {"l", "", "NoExecute"}},
       {{"k", "Exists", "", ""}},
       "c: r=d1"},
  };
  for (const TaintRow& row : rows) {
    CAPTURE(row.sentence);
    std::vector<Device> two = devices({"d0", "d1"});
    two.front().taints = row.taints;
    World world({local_slice("s", std::move(two))});
    DeviceRequestBody body = wants(1);
    body.tolerations = row.tolerations;
    CHECK(world.ask(request("r", body)) == row.answer);
  }
}

TEST_CASE("a rule taints the devices that it selects") {
  struct RuleRow {
    const char* sentence;
    DeviceTaintRule rule;
    std::string free;
  };
  DeviceTaintRule no_selector = make_rule("r", {}, {}, {});
  no_selector.has_selector = false;
  const RuleRow rows[] = {
      {"all devices", make_rule("r", {}, {}, {}), ""},
      {"none", no_selector, "d0 d1 q/d0"},
      {"a driver", make_rule("r", kGpu, {}, {}), ""},
      {"another driver", make_rule("r", "other", {}, {}), "d0 d1 q/d0"},
      {"a pool of any driver", make_rule("r", {}, "pool", {}), "q/d0"},
      {"a pool of the driver", make_rule("r", kGpu, "q", {}), "d0 d1"},
      {"a device of any pool", make_rule("r", {}, {}, "d0"), "d1"},
      {"a device of a pool", make_rule("r", kGpu, "pool", "d0"), "d1 q/d0"},
      {"a device that is not there", make_rule("r", kGpu, "pool", "d7"), "d0 d1 q/d0"},
      {"an effect that does not matter", make_rule("r", {}, {}, {}, "None"), "d0 d1 q/d0"},
  };
  for (const RuleRow& row : rows) {
    CAPTURE(row.sentence);
    const std::vector<ResourceSlice> slices = {local_slice("s", devices({"d0", "d1"})),
                                               local_slice("t", devices({"d0"}), "q")};
    World rule_last(slices), rule_first;
    rule_last.inventory.set(row.rule);
    CHECK(free_devices(rule_last) == row.free);
    rule_first.inventory.set(row.rule);
    for (const ResourceSlice& slice : slices) rule_first.inventory.set(slice);
    CHECK(free_devices(rule_first) == row.free);
    // Another rule of the name takes its place, and then goes.
    rule_first.inventory.set(make_rule("r", kGpu, "q", {}));
    CHECK(free_devices(rule_first) == "d0 d1");
    CHECK(rule_first.inventory.remove_taint_rule("r"));
    CHECK(free_devices(rule_first) == "d0 d1 q/d0");
    CHECK(!rule_first.inventory.remove_taint_rule("r"));
  }
}

TEST_CASE("a device has its own taints before those of the rules") {
  std::vector<Device> one = devices({"d0"});
  one.front().taints = {{"own", "", "NoSchedule"}};
  World world({local_slice("s", std::move(one))});
  DeviceTaintRule other = make_rule("b", {}, {}, {});
  other.taint.key = "b";
  world.inventory.set(other);
  DeviceTaintRule first = make_rule("a", kGpu, {}, "d0");
  first.taint.key = "a";
  world.inventory.set(first);
  const PublishedSlice& slice = *world.inventory.pools_of_node("n1").front().slices.front();
  std::string keys;
  for (const DeviceTaint* taint : world.inventory.taints_of(slice, slice.devices.front()))
    keys += taint->key + " ";
  CHECK(keys == "own a b ");
}

}  // namespace winnow
