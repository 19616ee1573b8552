// The annotation by which a node asks not to get the pods of some controllers.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cluster/api/node.h"

namespace winnow {

inline constexpr std::string_view kPreferAvoidPods = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/// The controllers in the annotation's value, in the order written. An entry without a controller is left
/// out. The value is read like Go's json.Unmarshal of v1.AvoidPods, with keys in any case.
/// @return nothing if the value is invalid.
std::optional<std::vector<AvoidedController>> parse_prefer_avoid_pods(std::string_view annotation);

}  // namespace winnow
