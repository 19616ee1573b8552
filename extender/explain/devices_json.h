// The devices that a pod's claims would get on a node, as JSON and in words.
#pragma once

#include <string>
#include <vector>

#include "extender/engine/claimed_devices.h"

namespace winnow {

class Reader;

/// Appends `[{"claim":…,"devices":[{"request":…,"driver":…,"pool":…,"device":…}]}]`. Of a device also
/// `adminAccess` and `shared` where they are true, `consumedCapacity`, `bindingConditions` and
/// `bindingFailureConditions`; of a claim the `nodeSelector` of its allocation.
void append_devices(std::string& out, const std::vector<ClaimedDevices>& claims);
/// Reads the names that append_devices() writes.
bool read_fields(const Reader& reader, ClaimedDevices& claim);

/// "claim trainer-gpu: gpu.example.com/gpu-1/gpu-0 and gpu-3"
std::string to_text(const ClaimedDevices& claim);

}  // namespace winnow
