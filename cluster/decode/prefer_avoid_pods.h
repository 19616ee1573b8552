// The annotation in which a node names pods that it would rather not have.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cluster/api/node.h"

namespace winnow {

inline constexpr std::string_view kPreferAvoidPods = "scheduler.alpha.kubernetes.io/preferAvoidPods";

/// The value of that annotation: the controllers of the pods to be avoided, in the order written. An entry
/// without a controller is left out. As Go's json.Unmarshal of v1.AvoidPods: keys in any case.
/// @return nothing where that fails.
std::optional<std::vector<AvoidedController>> parse_prefer_avoid_pods(std::string_view annotation);

}  // namespace winnow
