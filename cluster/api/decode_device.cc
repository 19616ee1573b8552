// The older versions differ from v1 in two places: v1beta1 has the fields of a device in `basic`, and those
// of a request beside its name. Upstream: pkg/apis/resource/v1beta1/conversion.go v1.37.2. In v1alpha3 a
// capacity is a bare amount.
#include "cluster/api/decoders.h"
#include "cluster/api/device.h"

namespace winnow {

namespace {

bool read_selectors(const Reader& r, std::vector<DeviceSelector>& selectors) {
  return r.for_each_in("selectors", [&](const Reader& element) {
    DeviceSelector& selector = selectors.emplace_back();
    if (element.is_null()) return true;
    return element.expect_object() && element.within("cel", [&](const Reader& cel) {
      return cel.read("expression", selector.emplace());
    });
  });
}

/// An amount of an object with the field `value`, or null.
bool read_amount(const Reader& r, Quantity& amount) {
  return r.is_null() || (r.expect_object() && r.read("value", amount));
}

bool read_counters(const Reader& r, Counters& counters) {
  return r.within("counters", [&](const Reader& members) {
    return members.for_each_member([&](std::string_view name, const Reader& counter) {
      return read_amount(counter, counters[std::string(name)] = {});
    });
  });
}

/// Of several values the first of this order counts. Upstream: dynamic-resource-allocation v0.37.2
/// cel/compile.go getAttributeValue.
bool read_attribute(const Reader& r, DeviceAttribute& attribute) {
  if (r.has("int")) return r.read("int", attribute.emplace<std::int64_t>());
  if (r.has("bool")) return r.read("bool", attribute.emplace<bool>());
  if (r.has("string")) return r.read("string", attribute.emplace<std::string>());
  if (r.has("version")) return r.read("version", attribute.emplace<DeviceVersion>().text);
  return true;
}

bool read_attributes(const Reader& r, DeviceAttributes& attributes) {
  return r.within("attributes", [&](const Reader& members) {
    return members.for_each_member([&](std::string_view name, const Reader& value) {
      DeviceAttribute& attribute = attributes[std::string(name)] = {};
      return value.is_null() || (value.expect_object() && read_attribute(value, attribute));
    });
  });
}

}  // namespace

static bool read_fields(const Reader& r, CapacityRequestPolicy& policy) {
  policy.has_range = r.has("validRange");
  return r.read("default", policy.default_) && r.read("validValues", policy.valid_values) &&
         r.within("validRange", [&](const Reader& range) {
           return range.read("min", policy.range_min) && range.read("max", policy.range_max) &&
                  range.read("step", policy.range_step);
         });
}

static bool read_value(const Reader& r, DeviceCapacity& capacity) {
  if (!r.value().IsObject()) return read_value(r, capacity.value);
  return r.read("value", capacity.value) && r.read("requestPolicy", capacity.request_policy);
}

static bool read_fields(const Reader& r, CounterSet& set) {
  return r.read("name", set.name) && read_counters(r, set.counters);
}

static bool read_fields(const Reader& r, DeviceCounterConsumption& consumption) {
  return r.read("counterSet", consumption.counter_set) && read_counters(r, consumption.counters) &&
         r.read("compatibilityGroups", consumption.compatibility_groups);
}

static bool read_fields(const Reader& r, DeviceTaint& taint) {
  return r.read("key", taint.key) && r.read("value", taint.value) && r.read("effect", taint.effect);
}

static bool read_device(const Reader& r, Device& device) {
  return read_attributes(r, device.attributes) && r.read("capacity", device.capacity) &&
         r.read("consumesCounters", device.consumes_counters) && r.read("nodeName", device.node_name) &&
         r.read("nodeSelector", device.node_selector) && r.read("allNodes", device.all_nodes) &&
         r.read("taints", device.taints) && r.read("bindsToNode", device.binds_to_node) &&
         r.read("bindingConditions", device.binding_conditions) &&
         r.read("bindingFailureConditions", device.binding_failure_conditions) &&
         r.read("allowMultipleAllocations", device.allow_multiple_allocations);
}

static bool read_fields(const Reader& r, Device& device) {
  if (!r.read("name", device.name)) return false;
  if (!r.has("basic")) return read_device(r, device);
  return r.within("basic", [&](const Reader& basic) { return read_device(basic, device); });
}

static bool read_fields(const Reader& r, ResourcePool& pool) {
  return r.read("name", pool.name) && r.read("generation", pool.generation) &&
         r.read("resourceSliceCount", pool.resource_slice_count);
}

static bool read_slice_spec(const Reader& r, ResourceSlice& slice) {
  return r.read("driver", slice.driver) && r.read("pool", slice.pool) &&
         r.read("nodeName", slice.node_name) && r.read("nodeSelector", slice.node_selector) &&
         r.read("allNodes", slice.all_nodes) &&
         r.read("perDeviceNodeSelection", slice.per_device_node_selection) &&
         r.read("devices", slice.devices) && r.read("sharedCounters", slice.shared_counters);
}

bool read_fields(const Reader& r, ResourceSlice& slice) {
  return r.read("metadata", slice.metadata) &&
         r.within("spec", [&](const Reader& spec) { return read_slice_spec(spec, slice); });
}

bool read_fields(const Reader& r, DeviceTaintRule& rule) {
  return r.read("metadata", rule.metadata) && r.within("spec", [&](const Reader& spec) {
    rule.has_selector = spec.has("deviceSelector");
    return spec.read("taint", rule.taint) && spec.within("deviceSelector", [&](const Reader& selector) {
      return selector.read("driver", rule.driver) && selector.read("pool", rule.pool) &&
             selector.read("device", rule.device);
    });
  });
}

bool read_fields(const Reader& r, DeviceClass& device_class) {
  return r.read("metadata", device_class.metadata) && r.within("spec", [&](const Reader& spec) {
    return read_selectors(spec, device_class.selectors) &&
           spec.read("extendedResourceName", device_class.extended_resource_name);
  });
}

// Claims.

static bool read_fields(const Reader& r, DeviceToleration& toleration) {
  return r.read("key", toleration.key) && r.read("operator", toleration.op) &&
         r.read("value", toleration.value) && r.read("effect", toleration.effect);
}

static bool read_fields(const Reader& r, DeviceRequestBody& body) {
  const auto read_capacity = [&](const Reader& capacity) {
    return capacity.read("requests", body.capacity.emplace());
  };
  const auto note_derived = [&](const Reader&) { return body.has_derived_attributes = true; };
  return r.read("deviceClassName", body.device_class_name) && read_selectors(r, body.selectors) &&
         r.read("allocationMode", body.allocation_mode) && r.read("count", body.count) &&
         r.read("adminAccess", body.admin_access) && r.read("tolerations", body.tolerations) &&
         r.within("capacity", read_capacity) && r.for_each_in("derivedAttributes", note_derived);
}

static bool read_fields(const Reader& r, DeviceSubRequest& request) {
  return r.read("name", request.name) && read_fields(r, request.body);
}

namespace {

/// Upstream: conversion.go hasAnyMainRequestFieldsSet.
bool has_body(const Reader& request, const DeviceRequestBody& body) {
  return !body.device_class_name.empty() || !body.allocation_mode.empty() || body.count != 0 ||
         request.has("selectors") || request.has("adminAccess") || request.has("tolerations") ||
         request.has("capacity") || request.has("derivedAttributes");
}

}  // namespace

static bool read_fields(const Reader& r, ClaimRequest& request) {
  if (!r.read("name", request.name) || !r.read("firstAvailable", request.first_available)) return false;
  if (r.has("exactly")) return r.read("exactly", request.exactly);
  DeviceRequestBody flat;
  if (!read_fields(r, flat)) return false;
  if (has_body(r, flat)) request.exactly = std::move(flat);
  return true;
}

static bool read_fields(const Reader& r, DeviceConstraint& constraint) {
  return r.read("requests", constraint.requests) && r.read("matchAttribute", constraint.match_attribute) &&
         r.read("distinctAttribute", constraint.distinct_attribute);
}

static bool read_fields(const Reader& r, ResourceClaimSpec& spec) {
  return r.within("devices", [&](const Reader& devices) {
    return devices.read("requests", spec.requests) && devices.read("constraints", spec.constraints);
  });
}

static bool read_fields(const Reader& r, AllocatedDevice& device) {
  std::vector<std::string> skipped;
  const bool good = r.read("request", device.request) && r.read("driver", device.driver) &&
                    r.read("pool", device.pool) && r.read("device", device.device) &&
                    r.read("adminAccess", device.admin_access) && r.read("shareID", device.share_id) &&
                    r.read("consumedCapacity", device.consumed_capacity) &&
                    r.read("bindingConditions", device.binding_conditions) &&
                    r.read("bindingFailureConditions", device.binding_failure_conditions) &&
                    r.read("skipNodeOperations", skipped);
  device.skips_node_operations = !skipped.empty();
  return good;
}

static bool read_fields(const Reader& r, DeviceAllocation& allocation) {
  std::optional<Time> allocated;
  const bool good =
      r.within("devices",
               [&](const Reader& devices) { return devices.read("results", allocation.devices); }) &&
      r.read("nodeSelector", allocation.node_selector) && r.read("allocationTimestamp", allocated);
  if (allocated) allocation.allocated_at = allocated->seconds;
  return good;
}

static bool read_fields(const Reader& r, ClaimConsumer& consumer) {
  return r.read("apiGroup", consumer.api_group) && r.read("resource", consumer.resource) &&
         r.read("name", consumer.name) && r.read("uid", consumer.uid);
}

static bool read_fields(const Reader& r, AllocatedDeviceStatus& status) {
  const auto read_condition = [&](const Reader& condition) {
    std::string type;
    std::string value;
    if (condition.is_null()) return true;
    if (!condition.expect_object() || !condition.read("type", type) || !condition.read("status", value))
      return false;
    if (value == "True") status.true_conditions.push_back(std::move(type));
    return true;
  };
  return r.read("driver", status.driver) && r.read("pool", status.pool) && r.read("device", status.device) &&
         r.read("shareID", status.share_id) && r.for_each_in("conditions", read_condition);
}

bool read_fields(const Reader& r, ResourceClaim& claim) {
  return r.read("metadata", claim.metadata) && r.read("spec", claim.spec) &&
         r.within("status", [&](const Reader& status) {
           return status.read("allocation", claim.allocation) &&
                  status.read("reservedFor", claim.reserved_for) && status.read("devices", claim.devices);
         });
}

bool read_fields(const Reader& r, ResourceClaimTemplate& made) {
  return r.read("metadata", made.metadata) && r.within("spec", [&](const Reader& spec) {
    return spec.read("spec", made.spec) && spec.within("metadata", [&](const Reader& metadata) {
      return metadata.read("labels", made.labels) && metadata.read("annotations", made.annotations);
    });
  });
}

}  // namespace winnow
