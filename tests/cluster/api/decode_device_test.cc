// The objects of dynamic resource allocation, in each version of the API that has them.
#include <doctest/doctest.h>

#include <string>
#include <variant>
#include <vector>

#include "cluster/api/decode.h"
#include "cluster/api/device.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

template <class Object>
std::string device_error_of(std::string_view json) {
  const auto object = decode<Object>(json);
  return object ? "" : object.error().message;
}

const std::string kDeviceFields = R"(
    "attributes":{"model":{"string":"A100"},"cores":{"int":40},"ecc":{"bool":true},"driver":{"version":"1.2.3"},
      "example.com/lists":{"strings":["a","b"]},"none":{},"null":null,"several":{"bool":false,"int":7}},
    "capacity":{"memory":{"value":"40Gi","requestPolicy":{"default":"1Gi","validRange":{"min":"1Gi","step":"1Gi"}}},
      "slots":{"value":"4","requestPolicy":{"default":"1","validValues":["1","2"]}}},
    "consumesCounters":[{"counterSet":"card","counters":{"memory":{"value":"10Gi"}},"compatibilityGroups":["mig"]}],
    "nodeName":"n1","allNodes":false,
    "nodeSelector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a"]}]}]},
    "taints":[{"key":"broken","value":"yes","effect":"NoExecute","timeAdded":"2026-01-01T00:00:00Z"}],
    "bindsToNode":true,"bindingConditions":["ready"],"bindingFailureConditions":["failed"],
    "allowMultipleAllocations":true)";

std::string slice_with(const std::string& device, const std::string& rest = R"("nodeName":"n1")") {
  return R"({"metadata":{"name":"n1-gpus"},"spec":{"driver":"gpu.example.com",
    "pool":{"name":"n1","generation":2,"resourceSliceCount":3},)" +
         rest + R"(,"devices":[)" + device + R"(],
    "sharedCounters":[{"name":"card","counters":{"memory":{"value":"40Gi"},"none":null}}]}})";
}

}  // namespace

TEST_CASE("a ResourceSlice, as each version writes a device") {
  const std::vector<std::string> versions = {
      "{\"name\":\"gpu-0\"," + kDeviceFields + "}",              // v1 and v1beta2
      "{\"name\":\"gpu-0\",\"basic\":{" + kDeviceFields + "}}",  // v1beta1
      "{\"basic\":{" + kDeviceFields + "},\"name\":\"gpu-0\",\"nodeAllocatableResources\":{}}",
  };
  for (const std::string& version : versions) {
    CAPTURE(version);
    const auto slice = decode<ResourceSlice>(slice_with(version));
    REQUIRE(slice);
    CHECK(slice->metadata.name == "n1-gpus");
    CHECK(slice->driver == "gpu.example.com");
    CHECK(slice->pool == ResourcePool{.name = "n1", .generation = 2, .resource_slice_count = 3});
    CHECK(slice->node_name == "n1");
    CHECK_FALSE(slice->all_nodes);
    CHECK(slice->shared_counters ==
          std::vector<CounterSet>{{"card", {{"memory", quantity("40Gi")}, {"none", Quantity()}}}});
    REQUIRE(slice->devices.size() == 1);
    const Device& device = slice->devices[0];
    CHECK(device.name == "gpu-0");
    CHECK(device.attributes == DeviceAttributes{{"model", "A100"},
                                                {"cores", std::int64_t{40}},
                                                {"ecc", true},
                                                {"driver", DeviceVersion{"1.2.3"}},
                                                {"example.com/lists", UnsupportedAttribute()},
                                                {"none", UnsupportedAttribute()},
                                                {"null", UnsupportedAttribute()},
                                                {"several", std::int64_t{7}}});
    REQUIRE(device.capacity.size() == 2);
    const DeviceCapacity& memory = device.capacity.at("memory");
    CHECK(memory.value == quantity("40Gi"));
    REQUIRE(memory.request_policy);
    CHECK(memory.request_policy->default_ == quantity("1Gi"));
    CHECK(memory.request_policy->has_range);
    CHECK(memory.request_policy->range_min == quantity("1Gi"));
    CHECK_FALSE(memory.request_policy->range_max);
    CHECK(memory.request_policy->range_step == quantity("1Gi"));
    CHECK(device.capacity.at("slots").request_policy->valid_values ==
          std::vector<Quantity>{quantity("1"), quantity("2")});
    CHECK_FALSE(device.capacity.at("slots").request_policy->has_range);
    CHECK(device.consumes_counters ==
          std::vector<DeviceCounterConsumption>{{"card", {{"memory", quantity("10Gi")}}, {"mig"}}});
    CHECK(device.node_name == "n1");
    REQUIRE(device.node_selector);
    CHECK(device.node_selector->terms.at(0).match_expressions.at(0).key == "zone");
    CHECK(device.taints == std::vector<DeviceTaint>{{"broken", "yes", "NoExecute"}});
    CHECK(device.binds_to_node);
    CHECK(device.binding_conditions == std::vector<std::string>{"ready"});
    CHECK(device.binding_failure_conditions == std::vector<std::string>{"failed"});
    CHECK(device.allow_multiple_allocations == true);
  }
}

TEST_CASE("where the devices of a ResourceSlice are") {
  const auto slice_of = [](const std::string& rest) {
    return decode<ResourceSlice>(slice_with("{}", rest)).value();
  };
  CHECK(slice_of(R"("allNodes":true)").all_nodes);
  CHECK(slice_of(R"("perDeviceNodeSelection":true)").per_device_node_selection);
  CHECK(slice_of(R"("nodeSelector":{"nodeSelectorTerms":[]})").node_selector == NodeSelector());
  const ResourceSlice plain = slice_of(R"("nodeName":null)");
  CHECK(plain.node_name.empty());
  CHECK(plain.devices == std::vector<Device>{{}});
  CHECK_FALSE(plain.devices[0].allow_multiple_allocations);
}

TEST_CASE("a capacity of v1alpha3 is a bare amount") {
  const auto slice =
      decode<ResourceSlice>(slice_with(R"({"basic":{"capacity":{"memory":"40Gi","slots":4}}})"));
  REQUIRE(slice);
  CHECK(slice->devices[0].capacity.at("memory") == DeviceCapacity{quantity("40Gi"), std::nullopt});
  CHECK(slice->devices[0].capacity.at("slots") == DeviceCapacity{quantity("4"), std::nullopt});
}

TEST_CASE("what is wrong in a ResourceSlice has its path") {
  const auto error = [](const std::string& device) {
    return device_error_of<ResourceSlice>(slice_with(device));
  };
  CHECK(error(R"({"attributes":{"a/b":{"int":"7"}}})") ==
        "spec.devices[0].attributes[\"a/b\"].int: \"7\" is not a 64-bit integer");
  CHECK(error(R"({"attributes":{"a":5}})") == "spec.devices[0].attributes.a: 5 is not an object");
  CHECK(error(R"({"capacity":{"a":true}})") == "spec.devices[0].capacity.a: true is not a quantity");
  CHECK(error(R"({"basic":5})") == "spec.devices[0].basic: 5 is not an object");
  CHECK(error(R"({"consumesCounters":[{"counters":{"a":5}}]})") ==
        "spec.devices[0].consumesCounters[0].counters.a: 5 is not an object");
}

TEST_CASE("a DeviceClass has selectors, and may name a resource") {
  const auto gpu = decode<DeviceClass>(R"({"metadata":{"name":"gpu"},"spec":{
      "selectors":[{"cel":{"expression":"device.driver == 'gpu'"}},{},null],"extendedResourceName":"nvidia.com/gpu"}})");
  REQUIRE(gpu);
  CHECK(gpu->metadata.name == "gpu");
  CHECK(gpu->selectors == std::vector<DeviceSelector>{"device.driver == 'gpu'", std::nullopt, std::nullopt});
  CHECK(gpu->extended_resource_name == "nvidia.com/gpu");
  CHECK(decode<DeviceClass>(R"({"spec":{}})")->extended_resource_name.empty());
  CHECK(device_error_of<DeviceClass>(R"({"spec":{"extendedResourceName":5}})") ==
        "spec.extendedResourceName: 5 is not a string");
  CHECK(device_error_of<DeviceClass>(R"({"spec":{"selectors":[5]}})") ==
        "spec.selectors[0]: 5 is not an object");
  CHECK(device_error_of<DeviceClass>(R"({"spec":{"selectors":[{"cel":{"expression":5}}]}})") ==
        "spec.selectors[0].cel.expression: 5 is not a string");
}

TEST_CASE("a DeviceTaintRule without a selector is not one with an empty selector") {
  const auto rule = decode<DeviceTaintRule>(R"({"metadata":{"name":"broken"},"spec":{
      "deviceSelector":{"driver":"gpu.example.com","pool":"n1","device":"gpu-0"},
      "taint":{"key":"broken","value":"yes","effect":"NoSchedule"}},"status":{"conditions":[]}})");
  REQUIRE(rule);
  CHECK(rule->has_selector);
  CHECK(rule->driver == "gpu.example.com");
  CHECK(rule->pool == "n1");
  CHECK(rule->device == "gpu-0");
  CHECK(rule->taint == DeviceTaint{"broken", "yes", "NoSchedule"});
  const auto all = decode<DeviceTaintRule>(R"({"spec":{"deviceSelector":{}}})");
  CHECK(all->has_selector);
  CHECK_FALSE(all->driver);
  CHECK_FALSE(decode<DeviceTaintRule>(R"({"spec":{"deviceSelector":null}})")->has_selector);
}

namespace {

const std::string kRequestFields = R"("deviceClassName":"gpu","selectors":[{"cel":{"expression":"true"}}],
    "allocationMode":"ExactCount","count":2,"adminAccess":true,
    "tolerations":[{"key":"broken","operator":"Exists","effect":"NoSchedule","tolerationSeconds":5}],
    "capacity":{"requests":{"memory":"1Gi"}},"derivedAttributes":[{"name":"a/b","expression":"1"}])";

DeviceRequestBody whole_body() {
  DeviceRequestBody body;
  body.device_class_name = "gpu";
  body.selectors = {"true"};
  body.allocation_mode = "ExactCount";
  body.count = 2;
  body.admin_access = true;
  body.tolerations = {{"broken", "Exists", "", "NoSchedule"}};
  body.capacity = ResourceList{{"memory", quantity("1Gi")}};
  body.has_derived_attributes = true;
  return body;
}

std::vector<ClaimRequest> requests_of(const std::string& request) {
  const auto claim = decode<ResourceClaim>(R"({"spec":{"devices":{"requests":[)" + request + "]}}}");
  REQUIRE(claim);
  return claim->spec.requests;
}

}  // namespace

TEST_CASE("a request of a claim, as each version writes it") {
  for (const std::string& version :
       {R"({"name":"one","exactly":{)" + kRequestFields + "}}", R"({"name":"one",)" + kRequestFields + "}"}) {
    CAPTURE(version);
    CHECK(requests_of(version) == std::vector<ClaimRequest>{{"one", whole_body(), {}}});
  }
  DeviceRequestBody alternative = whole_body();
  const std::vector<ClaimRequest> found = requests_of(R"({"name":"one","firstAvailable":[{"name":"big",)" +
                                                      kRequestFields + R"(},{"name":"small"}]})");
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].exactly);
  CHECK(found[0].first_available == std::vector<DeviceSubRequest>{{"big", alternative}, {"small", {}}});
}

TEST_CASE("a request without any field of v1beta1 is of an unknown type") {
  struct Row {
    const char* when;
    std::string fields;
    bool exactly;
  };
  for (const Row& row : {
           Row{"nothing", "", false},
           Row{"fields that are empty", R"(,"deviceClassName":"","allocationMode":"","count":0)", false},
           Row{"null", R"(,"selectors":null,"tolerations":null,"capacity":null,"exactly":null)", false},
           Row{"a class", R"(,"deviceClassName":"gpu")", true},
           Row{"an empty list", R"(,"selectors":[])", true},
           Row{"a mode", R"(,"allocationMode":"All")", true},
           Row{"no access", R"(,"adminAccess":false)", true},
           Row{"an empty object of v1", R"(,"exactly":{})", true},
       }) {
    CAPTURE(row.when);
    CHECK(requests_of(R"({"name":"one")" + row.fields + "}").at(0).exactly.has_value() == row.exactly);
  }
}

TEST_CASE("a ResourceClaim with its constraints and its allocation") {
  const auto claim = decode<ResourceClaim>(R"({"metadata":{"name":"gpu","namespace":"shop","uid":"u-1"},
    "spec":{"devices":{"requests":[{"name":"one","exactly":{"deviceClassName":"gpu"}}],
      "constraints":[{"requests":["one"],"matchAttribute":"a/b"},{"distinctAttribute":"a/c"}],
      "config":[{"opaque":{"driver":"gpu.example.com","parameters":{"secret":true}}}]}},
    "status":{"allocation":{"allocationTimestamp":"2026-01-02T03:04:05Z",
        "nodeSelector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}]}]},
        "devices":{"results":[{"request":"one","driver":"gpu.example.com","pool":"n1","device":"gpu-0"},
          {"request":"one/big","driver":"d","pool":"p","device":"e","adminAccess":true,"shareID":"s-1",
           "consumedCapacity":{"memory":"1Gi"},"bindingConditions":["ready"],"bindingFailureConditions":["failed"]}],
          "config":[{"source":"FromClass"}]}},
      "reservedFor":[{"resource":"pods","name":"web","uid":"u-2"},{"apiGroup":"a.b","resource":"c","name":"d","uid":"e"}],
      "devices":[{"driver":"gpu.example.com","pool":"n1","device":"gpu-0","shareID":"s-2",
        "conditions":[{"type":"ready","status":"True"},{"type":"failed","status":"False"},{"type":"warm","status":"True"}],
        "data":{"any":1},"networkData":{"ips":["10.0.0.1"]}}]}})");
  REQUIRE(claim);
  CHECK(claim->metadata.uid == "u-1");
  CHECK(claim->spec.constraints ==
        std::vector<DeviceConstraint>{{{"one"}, "a/b", std::nullopt}, {{}, std::nullopt, "a/c"}});
  REQUIRE(claim->allocation);
  CHECK(claim->allocation->allocated_at == 1767323045);
  CHECK(claim->allocation->node_selector->terms.at(0).match_fields.at(0).values.at(0) == "n1");
  REQUIRE(claim->allocation->devices.size() == 2);
  CHECK(claim->allocation->devices[0].device == "gpu-0");
  CHECK_FALSE(claim->allocation->devices[0].admin_access);
  CHECK_FALSE(claim->allocation->devices[0].share_id);
  CHECK(claim->allocation->devices[1] ==
        AllocatedDevice{
            "one/big", "d", "p", "e", true, "s-1", {{"memory", quantity("1Gi")}}, {"ready"}, {"failed"}});
  CHECK(claim->reserved_for ==
        std::vector<ClaimConsumer>{{"", "pods", "web", "u-2"}, {"a.b", "c", "d", "e"}});
  CHECK(claim->devices ==
        std::vector<AllocatedDeviceStatus>{{"gpu.example.com", "n1", "gpu-0", "s-2", {"ready", "warm"}}});
  CHECK_FALSE(decode<ResourceClaim>(R"({"status":{"allocation":null}})")->allocation);
  CHECK(decode<ResourceClaim>(R"({"status":{"allocation":{}}})")->allocation == DeviceAllocation());
  CHECK(device_error_of<ResourceClaim>(R"({"status":{"allocation":{"allocationTimestamp":"now"}}})") ==
        "status.allocation.allocationTimestamp: \"now\" is not a time in RFC 3339 form");
  CHECK(device_error_of<ResourceClaim>(R"({"spec":{"devices":{"requests":[{"exactly":{"count":"2"}}]}}})")
            .starts_with("spec.devices.requests[0].exactly.count: \"2\" is not"));
}

TEST_CASE("a ResourceClaimTemplate has the labels and the spec of its claims") {
  const auto made =
      decode<ResourceClaimTemplate>(R"({"metadata":{"name":"any-gpu","labels":{"own":"x"}},"spec":{
      "metadata":{"labels":{"app":"web"},"annotations":{"note":"y"}},
      "spec":{"devices":{"requests":[{"name":"one","exactly":{"deviceClassName":"gpu"}}]}}}})");
  REQUIRE(made);
  CHECK(made->metadata.labels == StringMap{{"own", "x"}});
  CHECK(made->labels == StringMap{{"app", "web"}});
  CHECK(made->annotations == StringMap{{"note", "y"}});
  REQUIRE(made->spec.requests.size() == 1);
  CHECK(made->spec.requests[0].exactly->device_class_name == "gpu");
}

}  // namespace winnow::test
