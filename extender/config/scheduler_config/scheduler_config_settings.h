// Internal to extender/config: what a KubeSchedulerConfiguration has besides profiles and extenders. Only .cc
// files include this.
#pragma once

#include <string_view>

#include "cluster/text/json_reader.h"
#include "extender/config/common/field_error.h"

namespace winnow {

/// Checks the client connection, the leader election, the parallelism, the share of nodes to score and the
/// times of backing off, with upstream's defaults for what is absent. Nothing here is of use to Winnow.
/// Upstream: pkg/scheduler/apis/config/validation/validation.go ValidateKubeSchedulerConfiguration v1.37.0,
/// component-base/config/{validation,v1alpha1} v0.37.0.
FieldResult check_settings(const Reader& config);

/// A percentage, or absent.
FieldResult check_percentage(const Reader& object, std::string_view path);

}  // namespace winnow
