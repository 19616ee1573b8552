// How many devices of a class nodes have, and how many of them are allocated: what rules that score the use
// of an extended resource count where devices provide it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "cluster/state/row_values.h"

namespace winnow {

class State;
class View;
struct DeviceClass;

/// By node id, up to the last one of the view.
struct DeviceTotals {
  std::vector<std::int64_t> devices;
  std::vector<std::int64_t> allocated;
};

/// Counts slices of any generation, and devices whatever their taints. A node for which a selector fails has
/// none.
/// Upstream: plugins/noderesources/resource_allocation.go calculateDRAResourceTotals v1.37.2.
DeviceTotals count_devices(const View& view, const DeviceClass& of);

/// The drivers of which the class selects a device, wherever that is.
std::set<std::string, std::less<>> drivers_of_class(const State& state, const DeviceClass& of);

/// The devices that a class selects, wherever they are. Each counts as one of the three.
struct ClassDevices {
  std::string name;  ///< Of the class.
  std::size_t allocated = 0;
  std::size_t tainted = 0;  ///< Not allocated, with a taint that keeps pods off.
  std::size_t free = 0;
};

/// Counts the devices of each class, by name, in the newest generation of valid pools. A device for which a
/// selector fails is none of the class.
/// @param most  evaluations of selectors. What is found is kept, so that a later call comes further.
/// @return nothing where that is not enough, or where devices and selectors are too many.
std::vector<ClassDevices> count_by_class(const State& state, std::size_t most);

}  // namespace winnow
