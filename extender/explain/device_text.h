// The causes of DynamicResources in words: of one node, and summed over nodes.
#pragma once

#include <span>
#include <string>

#include "cluster/rule/cause.h"

namespace winnow {

/// Whether it is a cause of the kinds devices, device, pool or claimElsewhere.
bool is_of_devices(const Cause& cause);

/// "2 devices: memory of 40Gi, wanted 80Gi", without the node.
std::string device_text(const Cause& cause);

/// What causes of several nodes have alike, as a key: those of equal keys are told in one line.
std::string device_sort(const Cause& cause);
/// The causes of one key, of all nodes.
std::string sum_devices(std::span<const Cause* const> causes);

}  // namespace winnow
