// Why a node lacks devices for claims: what excludes each of its devices. Plain data, which owns all that it
// has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/devices/capacity.h"
#include "cluster/devices/node_pools.h"
#include "cluster/devices/search.h"

namespace winnow {

struct DeviceName {
  std::string driver;
  std::string pool;
  std::string device;

  bool operator==(const DeviceName&) const = default;
};

/// A claim that holds a device.
struct HolderName {
  std::string namespace_;
  std::string name;
  std::string uid;
  bool assumed = false;  ///< The API does not show it yet.

  bool operator==(const HolderName&) const = default;
};

/// The first thing that excludes a device from a request: that it is not of the class, then in the order in
/// which the allocator asks.
struct DeviceObstacle {
  enum class Kind : std::uint8_t {
    kFree,        ///< The request could have it.
    kPicked,      ///< The request has it, in the attempt that came furthest.
    kAllocated,   ///< Claims hold it: `holders`.
    kOtherPick,   ///< The attempt gave it to another request of these claims: `claim` and `request`.
    kSelector,    ///< A selector is false: `selector`, `of_class`.
    kError,       ///< A selector or a capacity cannot be computed: `error`.
    kOtherNode,   ///< The device itself is not for the node.
    kCapacity,    ///< `shortage`.
    kCounter,     ///< `counter_set`, `counter`, `have`, `want`.
    kTaint,       ///< The first taint that is not tolerated: `taint`.
    kConstraint,  ///< `constraint`, and `other` unless the device lacks the attribute.
  };
  Kind kind = Kind::kFree;
  std::vector<HolderName> holders;
  std::size_t claim = 0;  ///< Of the claims that were asked for.
  std::string request;    ///< "request" or "request/alternative".
  bool of_class = false;
  std::size_t selector = 0;  ///< In the class, or in the request.
  std::string error;         ///< Upstream's words.
  CapacityShortage shortage;
  std::string counter_set;
  std::string counter;
  Quantity have;  ///< What allocated devices and the attempt leave of the counter; may be below zero.
  Quantity want;  ///< 0 where the counter is below zero already, and the device uses others.
  DeviceTaint taint;
  std::size_t constraint = 0;       ///< Of the claim.
  std::optional<DeviceName> other;  ///< A device of the attempt that it does not go with.
};

struct ExplainedDevice {
  DeviceName name;
  const Device* device = nullptr;  ///< As long as the inventory does not change.
  bool has_binding_conditions = false;
  DeviceObstacle obstacle;
};

/// A request, or one of its alternatives.
struct ExplainedRequest {
  std::size_t claim = 0;  ///< Of the claims that were asked for.
  std::string request;
  std::string alternative;  ///< "" of a request without alternatives.
  std::string class_name;
  bool takes_all = false;
  std::int64_t wanted = 0;
  std::int64_t picked = 0;  ///< In the attempt that came furthest.
  /// The claim would have more devices than a claim may have.
  bool exceeds_limit = false;
  std::vector<ExplainedDevice> devices;  ///< Of usable pools, in the order in which they are tried.
};

struct ExplainedPool {
  std::string driver;
  std::string pool;
  NodePoolView::State state = NodePoolView::State::kUsable;
  std::string invalid_reason;
  std::size_t found_slices = 0;  ///< Of an incomplete pool.
  std::int64_t expected_slices = 0;
};

struct DeviceExplanation {
  bool fits = false;
  /// What allocate() ends with, if that is an error.
  std::optional<AllocationError> error;
  std::vector<ExplainedPool> pools;
  /// Of all claims, in order. Empty where an error came before the search.
  std::vector<ExplainedRequest> requests;
};

}  // namespace winnow
