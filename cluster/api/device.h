// The objects of dynamic resource allocation: slices of devices, their classes and taints, and claims.
//
// As resource.k8s.io/v1 of Kubernetes 1.37 has them. The older versions are decoded into the same structs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cluster/api/meta.h"
#include "cluster/api/pod.h"
#include "cluster/api/quantity.h"

namespace winnow {

// Devices, as drivers publish them.

/// A version by semver.org.
struct DeviceVersion {
  std::string text;

  bool operator==(const DeviceVersion&) const = default;
};

/// A list of values, or a type that is not known. Kubernetes 1.37 has lists behind a gate that is off.
struct UnsupportedAttribute {
  bool operator==(const UnsupportedAttribute&) const = default;
};

using DeviceAttribute = std::variant<UnsupportedAttribute, std::int64_t, bool, std::string, DeviceVersion>;
/// By name: "model", of the driver's own domain, or "domain/name".
using DeviceAttributes = std::map<std::string, DeviceAttribute, std::less<>>;

/// Which amounts of a capacity a request may take. Without values and range, any.
struct CapacityRequestPolicy {
  std::optional<Quantity> default_;
  std::vector<Quantity> valid_values;
  bool has_range = false;  ///< validRange is there.
  std::optional<Quantity> range_min;
  std::optional<Quantity> range_max;
  std::optional<Quantity> range_step;

  bool operator==(const CapacityRequestPolicy&) const = default;
};

struct DeviceCapacity {
  Quantity value;
  std::optional<CapacityRequestPolicy> request_policy;

  bool operator==(const DeviceCapacity&) const = default;
};
using DeviceCapacities = std::map<std::string, DeviceCapacity, std::less<>>;

/// Counters by name, of a set or of what a device takes from one.
using Counters = std::map<std::string, Quantity, std::less<>>;

struct CounterSet {
  std::string name;
  Counters counters;

  bool operator==(const CounterSet&) const = default;
};

struct DeviceCounterConsumption {
  std::string counter_set;
  Counters counters;
  std::vector<std::string> compatibility_groups;

  bool operator==(const DeviceCounterConsumption&) const = default;
};

struct DeviceTaint {
  std::string key;
  std::string value;
  std::string effect;

  bool operator==(const DeviceTaint&) const = default;
};

struct Device {
  std::string name;
  DeviceAttributes attributes;
  DeviceCapacities capacity;
  std::vector<DeviceCounterConsumption> consumes_counters;
  std::string node_name;  ///< This and the next two count where the slice selects nodes by device.
  std::optional<NodeSelector> node_selector;
  bool all_nodes = false;
  std::vector<DeviceTaint> taints;
  bool binds_to_node = false;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  std::optional<bool> allow_multiple_allocations;

  bool operator==(const Device&) const = default;
};

struct ResourcePool {
  std::string name;
  std::int64_t generation = 0;
  std::int64_t resource_slice_count = 0;

  bool operator==(const ResourcePool&) const = default;
};

/// A part of a driver's pool of devices.
struct ResourceSlice {
  ObjectMeta metadata;
  std::string driver;
  ResourcePool pool;
  std::string node_name;
  std::optional<NodeSelector> node_selector;
  bool all_nodes = false;
  bool per_device_node_selection = false;
  std::vector<Device> devices;
  std::vector<CounterSet> shared_counters;

  bool operator==(const ResourceSlice&) const = default;
};

/// A taint of the devices that its selector names.
struct DeviceTaintRule {
  ObjectMeta metadata;
  bool has_selector = false;  ///< Without one it selects no device.
  std::optional<std::string> driver;
  std::optional<std::string> pool;
  std::optional<std::string> device;
  DeviceTaint taint;

  bool operator==(const DeviceTaintRule&) const = default;
};

/// A CEL expression, or nothing for a selector of another kind.
using DeviceSelector = std::optional<std::string>;

/// A class of devices.
struct DeviceClass {
  ObjectMeta metadata;
  std::vector<DeviceSelector> selectors;
  std::string extended_resource_name;  ///< The resource that its devices provide; "" if absent.

  bool operator==(const DeviceClass&) const = default;
};

// Claims.

struct DeviceToleration {
  std::string key;
  std::string op;
  std::string value;
  std::string effect;

  bool operator==(const DeviceToleration&) const = default;
};

/// What a request, or one of its alternatives, asks for.
struct DeviceRequestBody {
  std::string device_class_name;
  std::vector<DeviceSelector> selectors;
  std::string allocation_mode;  ///< "ExactCount" or "All".
  std::int64_t count = 0;
  std::optional<bool> admin_access;  ///< Alternatives have none.
  std::vector<DeviceToleration> tolerations;
  std::optional<ResourceList> capacity;  ///< capacity.requests
  bool has_derived_attributes = false;   ///< Behind a gate that is off.

  bool operator==(const DeviceRequestBody&) const = default;
};

struct DeviceSubRequest {
  std::string name;
  DeviceRequestBody body;

  bool operator==(const DeviceSubRequest&) const = default;
};

/// A request of a claim. It has either of both; with neither it is of an unknown type.
struct ClaimRequest {
  std::string name;
  std::optional<DeviceRequestBody> exactly;
  std::vector<DeviceSubRequest> first_available;

  bool operator==(const ClaimRequest&) const = default;
};

struct DeviceConstraint {
  std::vector<std::string> requests;  ///< "request" or "request/subrequest"; empty: all.
  std::optional<std::string> match_attribute;
  std::optional<std::string> distinct_attribute;

  bool operator==(const DeviceConstraint&) const = default;
};

struct ResourceClaimSpec {
  std::vector<ClaimRequest> requests;
  std::vector<DeviceConstraint> constraints;

  bool operator==(const ResourceClaimSpec&) const = default;
};

/// A device that a claim has been given for a request.
struct AllocatedDevice {
  std::string request;  ///< "request" or "request/subrequest".
  std::string driver;
  std::string pool;
  std::string device;
  bool admin_access = false;
  std::optional<std::string> share_id;  ///< Set for a device that allows several allocations.
  ResourceList consumed_capacity;
  std::vector<std::string> binding_conditions;
  std::vector<std::string> binding_failure_conditions;
  bool skips_node_operations = false;  ///< skipNodeOperations is not empty.

  bool operator==(const AllocatedDevice&) const = default;
};

struct DeviceAllocation {
  std::vector<AllocatedDevice> devices;
  std::optional<NodeSelector> node_selector;  ///< Where the devices can be used; absent: everywhere.
  std::optional<std::int64_t> allocated_at;   ///< allocationTimestamp, in seconds since 1970, UTC.

  bool operator==(const DeviceAllocation&) const = default;
};

/// Who may use a claim's devices: a pod, or something else.
struct ClaimConsumer {
  std::string api_group;
  std::string resource;
  std::string name;
  std::string uid;

  bool operator==(const ClaimConsumer&) const = default;
};

/// What the driver says of an allocated device.
struct AllocatedDeviceStatus {
  std::string driver;
  std::string pool;
  std::string device;
  std::optional<std::string> share_id;
  std::vector<std::string> true_conditions;  ///< The types of the conditions whose status is "True".

  bool operator==(const AllocatedDeviceStatus&) const = default;
};

struct ResourceClaim {
  ObjectMeta metadata;
  ResourceClaimSpec spec;
  std::optional<DeviceAllocation> allocation;
  std::vector<ClaimConsumer> reserved_for;
  std::vector<AllocatedDeviceStatus> devices;

  bool operator==(const ResourceClaim&) const = default;
};

struct ResourceClaimTemplate {
  ObjectMeta metadata;
  StringMap labels;       ///< Of the claims that are made from it.
  StringMap annotations;  ///< The same.
  ResourceClaimSpec spec;

  bool operator==(const ResourceClaimTemplate&) const = default;
};

}  // namespace winnow
