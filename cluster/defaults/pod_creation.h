// What an API server does to a pod once, when it is created.
// Upstream: pkg/registry/core/pod/strategy.go PrepareForCreate v1.37.0, with the default feature gates.
#pragma once

#include "cluster/api/pod.h"

namespace winnow {

/// To be called once for a pod that no API server has stored, after set_defaults().
/// - matchLabelKeys and mismatchLabelKeys become a part of the label selector beside them.
/// - Pod-level requests and limits that are missing follow from those of the containers.
/// - bindMountOptions are dropped: their gate is off.
///
/// The status stays: in a file it says what runs where. The API server would empty it.
void prepare_for_create(Pod& pod);

}  // namespace winnow
