// Selectors: what they see of a device, and what upstream says where they fail.
#include "cluster/devices/cel_selector.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

#include "cluster/devices/cel_device.h"
#include "tests/cluster/devices/device_world.h"

namespace winnow {
namespace {

using namespace device_world;

Device made_device() {
  Device device = named("d0", {{"model", std::string("a100")},
                               {"cores", std::int64_t{6912}},
                               {"ecc", true},
                               {"fw", DeviceVersion{"1.2.3"}},
                               {"com.example/rack", std::string("r1")}});
  device.capacity = {{"memory", {amount("40Gi"), {}}}, {"com.example/bw", {amount("1500m"), {}}}};
  return device;
}

/// "true", "false", or upstream's error.
std::string verdict_of(const CelSelector& selector, const Device& device, std::uint32_t version = 1) {
  if (!selector.compile_error().empty()) return selector.compile_error();
  const PublishedDevice published{.device = &device, .slot = 0, .version = version};
  const SelectorVerdict verdict = selector.evaluate(published, kGpu, {});
  if (!verdict.error.empty()) return verdict.error;
  return verdict.matches ? "true" : "false";
}

struct SelectorRow {
  const char* sentence;
  std::string_view expression;
  std::string verdict;
};

}  // namespace

TEST_CASE("a selector sees attributes and capacities by domain") {
  const SelectorRow rows[] = {
      {"the driver", "device.driver == 'gpu.example.com'", "true"},
      {"a text", "device.attributes['gpu.example.com'].model == 'a100'", "true"},
      {"a number", "device.attributes['gpu.example.com'].cores > 6912", "false"},
      {"a bool alone", "device.attributes['gpu.example.com'].ecc", "true"},
      {"a version", "device.attributes['gpu.example.com'].fw.isGreaterThan(semver('1.2.2'))", "true"},
      {"another domain", "device.attributes['com.example'].rack == 'r1'", "true"},
      {"a capacity", "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) == 0", "true"},
      {"a fraction of a capacity", "device.capacity['com.example'].bw.isGreaterThan(quantity('1'))", "true"},
      {"as it is written, a fraction is no integer", "device.capacity['com.example'].bw.isInteger()",
       "false"},
      {"no shares", "device.allowMultipleAllocations", "false"},
      {"the domains that are there", "device.attributes.map(d, d) == ['com.example', 'gpu.example.com']",
       "true"},
      {"the names in a domain", "size(device.attributes['gpu.example.com'])",
       "must evaluate to bool or the unknown type, not int"},
      {"how many names a domain has", "size(device.attributes['gpu.example.com']) == 4", "true"},
      {"a name that is there", "'rack' in device.attributes['com.example']", "true"},
      {"a domain that is not there is empty", "has(device.attributes['x'].model)", "false"},
      {"and is not in the map", "'x' in device.attributes", "false"},
      {"a bound domain", "cel.bind(gpu, device.attributes['gpu.example.com'], gpu.ecc && gpu.cores == 6912)",
       "true"},
  };
  const Device device = made_device();
  for (const SelectorRow& row : rows) {
    CAPTURE(row.sentence);
    CHECK(verdict_of(CelSelector(row.expression), device) == row.verdict);
  }
}

TEST_CASE("a name with the driver's domain is the driver's") {
  const Device device =
      named("d0", {{"gpu.example.com/model", std::string("a")}, {"model", std::string("b")}});
  CHECK(verdict_of(CelSelector("device.attributes['gpu.example.com'].model == 'a'"), device) == "true");
  CHECK(verdict_of(CelSelector("size(device.attributes['gpu.example.com']) == 1"), device) == "true");
}

TEST_CASE("a selector that does not compile says so in upstream's words") {
  const SelectorRow rows[] = {
      {"a name that nobody declared", "nothing",
       "compilation failed: ERROR: <input>:1:1: undeclared reference to 'nothing' (in container '')\n | "
       "nothing\n | ^"},
      {"a field of devices that is misspelt", "device.atributes == 1",
       "compilation failed: ERROR: <input>:1:7: undefined field 'atributes'\n | device.atributes == 1\n | "
       "......^"},
      {"types that do not go together", "device.driver == 1",
       "compilation failed: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(string, "
       "int)'\n"
       " | device.driver == 1\n | ..............^"},
      {"wide characters", "'ä' == nothing",
       "compilation failed: ERROR: <input>:1:8: undeclared reference to 'nothing' (in container '')\n"
       " | 'ä' == nothing\n | .\uff0e.....^"},
      {"the second line", "true &&\n\tnothing",
       "compilation failed: ERROR: <input>:2:2: undeclared reference to 'nothing' (in container '')\n"
       " |  nothing\n | .^"},
      {"a text", "device.driver", "must evaluate to bool or the unknown type, not string"},
      {"a map", "device.attributes",
       "must evaluate to bool or the unknown type, not map(string, map(string, dyn))"},
  };
  const Device device = made_device();
  for (const SelectorRow& row : rows) {
    CAPTURE(row.sentence);
    CHECK(verdict_of(CelSelector(row.expression), device) == row.verdict);
  }
}

TEST_CASE("a selector that fails on a device says so in upstream's words") {
  const SelectorRow rows[] = {
      {"an attribute that is not there", "device.attributes['gpu.example.com'].nope == 1",
       "no such key: nope. consider using CEL optional chaining (.? followed by orValue()) or guarding the "
       "check with "
       "has() for optional fields"},
      {"a text", "device.attributes['gpu.example.com'].model",
       "CEL result of type string could not be converted to bool: unsupported native conversion from string "
       "to "
       "'bool'"},
      {"a number", "device.attributes['gpu.example.com'].cores",
       "CEL result of type int could not be converted to bool: unsupported type conversion from 'int' to "
       "bool"},
      {"a version", "device.attributes['gpu.example.com'].fw",
       "CEL result of type kubernetes.Semver could not be converted to bool: type conversion error from "
       "'Semver' to "
       "'bool'"},
      {"a list", "dyn([1])",
       "CEL result of type list could not be converted to bool: type conversion error from list to 'bool'"},
      {"no value", "dyn(optional.none())",
       "CEL result of type optional_type could not be converted to bool: optional.none() dereference"},
      {"an optional bool", "dyn(optional.of(true))", "true"},
      {"it costs too much", "lists.range(1000).all(a, lists.range(1000).all(b, a + b >= 0))",
       "operation cancelled: actual cost limit exceeded"},
  };
  const Device device = made_device();
  for (const SelectorRow& row : rows) {
    CAPTURE(row.sentence);
    CHECK(verdict_of(CelSelector(row.expression), device) == row.verdict);
  }
}

TEST_CASE("a device with an attribute that cannot be converted fails whatever is asked") {
  const CelSelector selector("true");
  CHECK(verdict_of(selector, named("d0", {{"fw", DeviceVersion{"1.2"}}})) ==
        "attribute fw: parse semantic version: No Major.Minor.Patch elements found");
  CHECK(verdict_of(selector, named("d0", {{"list", UnsupportedAttribute()}})) ==
        "attribute list: unsupported attribute value");
}

TEST_CASE("an answer is kept for the version of the device") {
  const CelSelector selector("device.attributes['gpu.example.com'].model == 'a100'");
  const Device device = made_device();
  const PublishedDevice first{.device = &device, .slot = 5000, .version = 7};
  PublishedDevice changed = first;
  changed.version = 8;
  CHECK(!selector.known(first).has_value());
  CHECK(selector.evaluate(first, kGpu, {}).matches);
  REQUIRE(selector.known(first).has_value());
  CHECK(*selector.known(first));
  CHECK(!selector.known(changed).has_value());
}

TEST_CASE("errors name the class or the claim, the selector and the device") {
  const auto ask = [](std::vector<DeviceSelector> of_class, std::vector<DeviceSelector> of_request) {
    World world({local_slice("s", {made_device()})});
    world.add_class("any", std::move(of_class));
    return world.ask(request("r", wants(1, std::move(of_request))));
  };
  const std::string missing =
      "CEL runtime error: no such key: x. consider using CEL optional chaining (.? followed by orValue()) or "
      "guarding "
      "the check with has() for optional fields";
  const std::string undeclared =
      "CEL compile error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'y' (in container "
      "'')\n"
      " | y\n | ^";
  const std::string no_key = "device.attributes['d'].x == 1";
  CHECK(ask({"true", no_key}, {}) ==
        "fatal: class any: selector #1 on device gpu.example.com/pool/d0: " + missing);
  CHECK(ask({}, {"true", no_key}) ==
        "fatal: claim ns/c: selector #1 on device gpu.example.com/pool/d0: " + missing);
  CHECK(ask({"y"}, {}) == "fatal: class any: selector #0: " + undeclared);
  CHECK(ask({}, {"true", "y"}) == "fatal: claim ns/c: selector #1: " + undeclared);
  CHECK(ask({"false", no_key}, {"y"}) == "none");
}

TEST_CASE("the answers of a slice that has changed are asked for again") {
  World world({local_slice("s", {made_device()})});
  const ClaimRequest asked = request("r", wants(1, {"device.attributes['gpu.example.com'].model == 'a100'"}));
  CHECK(world.ask(asked) == "c: r=d0");
  Device other = made_device();
  other.attributes["model"] = std::string("h100");
  world.inventory.set(local_slice("s", {other}));
  CHECK(world.ask(asked) == "none");
  world.inventory.set(local_slice("s", {made_device()}));
  CHECK(world.ask(asked) == "c: r=d0");
}

}  // namespace winnow
