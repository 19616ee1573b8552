// The devices around a node as they would be if a claim gave back its own: what advice is tried on.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/devices/inventory.h"

namespace winnow {

/// Copies from another inventory the pools that have devices for the node, with what the claims hold there,
/// but for one claim. Taint rules are copied, too.
/// @param node  "": the pools of all nodes are copied.
/// @param without  "NAMESPACE/NAME" of the claim that holds nothing in the copy.
/// @param asked  claims that the copy is asked about, as "NAMESPACE/NAME"; those that are there are copied.
/// @param to  an empty one.
/// @return false: there are more than `most` devices, and nothing of use is copied.
bool copy_without_claim(const DeviceInventory& from, std::string_view node, std::string_view without,
                        std::span<const std::string> asked, std::size_t most, DeviceInventory& to);

/// Whether all devices that the claim holds are for one and the same node alone.
bool is_of_one_node(const DeviceInventory& inventory, std::string_view claim);

/// The claims that hold devices of the pools with devices for the node, as "NAMESPACE/NAME": the first ones
/// in the order of pools and devices. Those that are assumed are left out: they will not give anything back.
std::vector<std::string> claims_around(const DeviceInventory& inventory, std::string_view node,
                                       std::size_t most);

}  // namespace winnow
