// Claims made ready for the search: what is the same on every node.
// Upstream: k8s.io/dynamic-resource-allocation v0.37.2 structured/internal/incubating/allocator_incubating.go
// (Allocate, validateDeviceRequest).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/devices/device_cache.h"
#include "cluster/function_ref.h"

namespace winnow {

/// The class of that name, or null. It is asked while claims are made ready, and not kept.
using FindDeviceClass = FunctionRef<const DeviceClass*(std::string_view)>;

/// The most devices of a claim (AllocationResultsMaxSize).
inline constexpr std::int64_t kMostDevicesOfClaim = 32;

struct PlannedSelector {
  std::shared_ptr<const CelSelector> selector;
  bool of_class = false;
  std::size_t index = 0;  ///< In the class, or in the request.
};

/// A request, or one alternative of a request.
struct PlannedRequest {
  const ClaimRequest* request = nullptr;
  const DeviceSubRequest* alternative = nullptr;  ///< Null for a request without alternatives.
  const DeviceRequestBody* body = nullptr;        ///< Null where there is an error.
  /// What makes it unfit, in upstream's words; "": nothing.
  std::string error;
  std::string class_name;
  std::vector<PlannedSelector> selectors;  ///< Of the class, then of the request.
  std::vector<std::uint32_t> constraints;  ///< Of its claim, by index and in order.
  bool takes_all = false;
  bool admin_access = false;
  std::int64_t count = 0;

  const std::string& name() const { return alternative == nullptr ? request->name : alternative->name; }
  /// "request" or "request/alternative".
  std::string full_name() const;
  const ResourceList* capacity() const { return body->capacity ? &*body->capacity : nullptr; }
};

struct PlannedConstraint {
  std::shared_ptr<const AttributeColumn> column;
  bool is_distinct = false;
};

struct PlannedClaim {
  const ResourceClaim* claim = nullptr;
  struct Request {
    std::uint32_t first = 0;  ///< Of `planned`.
    std::uint32_t count = 0;
    bool has_alternatives = false;
  };
  std::vector<Request> requests;
  std::vector<PlannedRequest> planned;
  std::uint32_t first = 0;  ///< How many `planned` the claims before it have.
  std::vector<PlannedConstraint> constraints;
  std::string constraint_error;  ///< As `error`.

  std::string text() const { return key_of(claim->metadata); }
};

/// @param claims  outlive the result.
std::vector<PlannedClaim> plan_claims(std::span<const ResourceClaim* const> claims,
                                      FindDeviceClass find_class, DeviceCache& cache);

}  // namespace winnow
