// Allocations as the API has them, made of the devices that a search found.
// Upstream: k8s.io/dynamic-resource-allocation v0.37.2
// structured/internal/incubating/allocator_incubating.go.
#pragma once

#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "cluster/api/device.h"
#include "cluster/devices/plan.h"
#include "cluster/devices/search.h"

namespace winnow {

/// The error of node_selector_of() for the devices of one claim; "" if there is none.
std::string node_selector_error(const PlannedClaim& claim, std::span<const DevicePick> picks);

/// Where devices can be used; nothing: everywhere. Upstream: createNodeSelector.
std::optional<NodeSelector> node_selector_of(std::span<const DevicePick> picks, std::string_view node);

/// @param picks  have no node_selector_error().
DeviceAllocation make_allocation(const PlannedClaim& claim, std::span<const DevicePick> picks,
                                 std::string_view node);

}  // namespace winnow
