// Explains a search for devices by the attempt that came furthest.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cluster/devices/explanation.h"
#include "cluster/devices/inventory.h"
#include "cluster/devices/node_pools.h"
#include "cluster/devices/plan.h"
#include "cluster/devices/search.h"

namespace winnow {

class DeviceExplainer {
 public:
  /// @param search  has run for these, and kept the attempt. All outlive the explainer.
  DeviceExplainer(std::span<const PlannedClaim> claims, const DeviceInventory& inventory,
                  const DeviceNode& node, const DeviceSearch& search)
      : claims_(claims), inventory_(inventory), node_(node), search_(search), attempt_(search.furthest()) {}

  std::vector<ExplainedPool> pools() const;
  std::vector<ExplainedRequest> requests() const;

 private:
  struct Asked {
    std::size_t claim = 0;
    const PlannedRequest* request = nullptr;
    const NodePoolView* pool = nullptr;
    const PublishedSlice* slice = nullptr;
    const PublishedDevice* device = nullptr;
  };
  using Obstacle = std::optional<DeviceObstacle>;

  ExplainedRequest explain(std::size_t claim, const PlannedRequest& request, std::int64_t wanted) const;
  DeviceObstacle obstacle_of(const Asked& asked) const;
  // In the order in which the allocator asks.
  Obstacle by_use(const Asked& asked) const;
  /// By a selector of the class that is false. What is not of the class is not told of otherwise.
  Obstacle by_class(const Asked& asked) const;
  Obstacle by_each_selector(const Asked& asked) const;
  Obstacle by_selector(const Asked& asked, const PlannedSelector& planned) const;
  Obstacle by_node(const Asked& asked) const;
  Obstacle by_capacity(const Asked& asked) const;
  Obstacle by_counter(const Asked& asked) const;
  Obstacle by_taint(const Asked& asked) const;
  Obstacle by_constraint(const Asked& asked) const;

  /// Whether the attempt took it for another alternative of the request: this one would be taken instead.
  static bool is_other_alternative(const Asked& asked, const DevicePick& pick);
  std::size_t claim_of(const DevicePick& pick) const;
  bool shares_in_attempt(DeviceId id) const;

  std::span<const PlannedClaim> claims_;
  const DeviceInventory& inventory_;
  const DeviceNode& node_;
  const DeviceSearch& search_;
  std::span<const DevicePick> attempt_;
};

}  // namespace winnow
