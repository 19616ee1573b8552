// What the removed plugins share that score by the use of resources.
#pragma once

#include <memory>

#include "priorities/rules.h"

namespace winnow::priorities::removed {

/// A priority by a strategy that v1.22 has as a plugin of its own. The pod's request is counted as v1.22
/// counts it: an init container that goes on running is one that ends, and the overhead's cpu is added in
/// whole units to thousandths. Pods on nodes count as today.
/// @param arguments  ResourceScoreArgs, or none: the defaults.
/// Upstream: plugins/noderesources/resource_allocation.go v1.22.17.
std::unique_ptr<const Priority> resource_score(const Request& request, const Arguments& arguments,
                                               ScoringStrategy strategy);

}  // namespace winnow::priorities::removed
