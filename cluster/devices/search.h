// The search for devices: one claim after the other, one request after the other, one device after the other,
// with every step taken back that leads nowhere. Upstream: k8s.io/dynamic-resource-allocation v0.37.2
// structured/internal/incubating/allocator_incubating.go.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cel/limits.h"
#include "cluster/devices/capacity.h"
#include "cluster/devices/inventory.h"
#include "cluster/devices/node_pools.h"
#include "cluster/devices/plan.h"

namespace winnow {

/// Why an allocation failed.
struct AllocationError {
  enum class Kind : std::uint8_t {
    kFatal,     ///< Claims, classes or slices are unfit. No other node should be tried.
    kOnNode,    ///< This node alone cannot be used. Upstream: ErrFailedAllocationOnNode.
    kTimedOut,  ///< There was not enough time.
  };
  Kind kind = Kind::kFatal;
  std::string text;  ///< Upstream's words.
};

/// A device that was found for a request.
struct DevicePick {
  const PlannedRequest* request = nullptr;
  const PublishedSlice* slice = nullptr;
  const PublishedDevice* device = nullptr;
  const NodePoolView* pool = nullptr;
  /// What it takes of a device that is shared, in the order of the names of its capacities.
  CapacityShare share;
};

/// Searches one node after the other, by one thread. What it needs memory for is used again.
class DeviceSearch {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// When a search ends.
  struct Limits {
    Time deadline = Time::max();
    std::chrono::nanoseconds timeout{
        0};  ///< For a node; 0: none. A search of a few steps does not look at it.
  };

  /// Searches the node. @return whether all claims have their devices; else picks() is worth nothing.
  std::expected<bool, AllocationError> run(std::span<const PlannedClaim> claims,
                                           const DeviceInventory& inventory, const DeviceNode& node,
                                           const Limits& limits);

  /// Makes run() keep the attempt that came furthest.
  void keep_furthest() { keeps_furthest_ = true; }
  /// The attempt with the most devices of all, the first of several; complete if run() gave true.
  std::span<const DevicePick> furthest() const { return furthest_; }
  /// How many devices a request or alternative wants, by the number that it has among those of all claims.
  std::int64_t wanted(std::size_t index) const {
    return index < requests_.size() ? requests_[index].count : 0;
  }

  /// The devices of a claim, by its index.
  std::span<const DevicePick> picks(std::size_t claim) const;
  /// What upstream scores the alternatives with that were taken: 8 minus the index of each. Those that got no
  /// device are left out. Upstream: computeScore of the plugin DynamicResources.
  std::int64_t alternatives_score() const;
  const NodePools& pools() const { return pools_; }
  /// Whether run() came to the search: requests, classes and pools are fit for it.
  bool has_searched() const { return has_searched_; }

 private:
  enum class Step : std::uint8_t {
    kDone,
    kNo,
    kTooMany,  ///< errAllocationResultMaxSizeExceeded: the claim would have more devices than it may.
    kError,    ///< error_ says which.
  };
  /// A device that may be tried.
  struct Candidate {
    const NodePoolView* pool = nullptr;
    const PublishedSlice* slice = nullptr;
    const PublishedDevice* device = nullptr;
  };
  /// Where the request stands: its claim, itself in the claim, and itself or its alternative among `planned`.
  struct Place {
    std::uint32_t claim = 0;
    std::uint32_t request = 0;
    const PlannedRequest* planned = nullptr;
    std::uint32_t index = 0;  ///< Of all requests and alternatives.
  };
  /// What a device changed.
  struct Change {
    bool counters = false;
    bool marked = false;
    bool shared = false;
    std::uint32_t constraints = 0;
  };
  /// The devices that may be tried for a request, found one by one.
  struct Candidates {
    std::size_t first = 0;  ///< Of candidates_.
    std::size_t pool = 0;
    std::size_t slice = 0;
    std::size_t device = 0;
    bool complete = false;
  };
  struct Constraint {
    std::vector<AttributeColumn::Value> values;  ///< Of distinct devices.
    AttributeColumn::Value value = 0;            ///< Of devices that match.
    std::uint32_t devices = 0;
  };
  struct Mark {
    DeviceId id;
    std::uint32_t claim;
  };
  struct Share {
    DeviceId id;
    CapacityShare share;
  };
  /// Of a pool, by counter.
  struct Consumed {
    const NodePoolView* pool = nullptr;
    std::vector<Quantity> amounts;
  };
  struct Request {
    std::int64_t count = 0;
    std::size_t first = 0;  ///< Of all_devices_.
  };

  // Before the search.
  bool prepare();
  bool prepare_claim(std::uint32_t index);
  bool prepare_request(const Place& place);
  bool list_all_devices(const Place& place);

  // The search.
  Step at_request(std::uint32_t index, std::uint32_t request);
  Step at_alternatives(Place place, std::uint32_t count);
  Step at_first_device(const Place& place);
  Step at_device(const Place& place, std::int64_t device, Candidates& candidates, std::size_t from);
  Step take_all(const Place& place, std::int64_t device, Candidates& candidates);

  // Which devices may be tried.
  Step extend(const Place& place, Candidates& next);
  Step may_try(const Place& place, const Candidate& candidate);
  bool is_in_use(const Place& place, const PublishedDevice& device) const;
  Step is_selectable(const Place& place, const PublishedSlice& slice, const PublishedDevice& device);
  Step selector_matches(const Place& place, const PlannedSelector& planned, const PublishedSlice& slice,
                        const PublishedDevice& device);
  Step has_capacity(const Place& place, const Candidate& candidate, const char* doing);
  bool is_prevented(const Place& place, const Candidate& candidate) const;

  // What is taken, and given back.
  Step take(const Place& place, const Candidate& candidate, Change& change);
  void give_back(const Place& place, const Candidate& candidate, const Change& change);
  const PlannedConstraint& planned_constraint(const Place& place, std::size_t index) const;
  Constraint& constraint_of(const Place& place, std::size_t index);
  bool add_to_constraints(const Place& place, const Candidate& candidate, Change& change);
  static bool add_to(const PlannedConstraint& planned, Constraint& constraint, AttributeColumn::Value value);
  Consumed& consumed_of(const NodePoolView& pool);
  bool take_counters(const Candidate& candidate);
  void give_counters_back(const Candidate& candidate);

  bool is_out_of_time() { return --steps_to_look_ == 0 && look_at_time(); }
  bool look_at_time();
  Step out_of_time();
  Step fail(std::string text);
  bool refuse(std::string text);

  std::span<const PlannedClaim> claims_;
  const DeviceInventory* inventory_ = nullptr;
  const DeviceNode* node_ = nullptr;
  Limits limits_;
  cel::EvaluationLimits cel_limits_;
  std::uint32_t steps_to_look_ = 0;
  AllocationError error_;

  NodePools pools_;
  bool has_searched_ = false;
  bool keeps_furthest_ = false;
  std::vector<DevicePick> furthest_;
  std::vector<Request> requests_;  ///< By Place::index.
  std::vector<Candidate> all_devices_;
  std::vector<Candidate> candidates_;
  std::vector<Constraint> constraints_;  ///< Of all claims.
  std::vector<std::uint32_t> first_constraint_;
  std::vector<Mark> marks_;
  std::vector<Share> shares_;
  std::vector<Consumed> consumed_;
  std::size_t consumed_used_ = 0;
  std::vector<DevicePick> picks_;        ///< Of all claims, in order.
  std::vector<std::size_t> first_pick_;  ///< By claim.
};

}  // namespace winnow
