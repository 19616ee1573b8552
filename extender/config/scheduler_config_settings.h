// Internal to extender/config: the settings of a KubeSchedulerConfiguration other than profiles and
// extenders. Only .cc files include this.
#pragma once

#include <string>
#include <string_view>

#include "cluster/text/field_result.h"

namespace winnow {

class Reader;
struct SettingsRules;

/// Checks clientConnection, leaderElection, parallelism, percentageOfNodesToScore, the backoff times and the
/// addresses of older versions. Absent ones have upstream's defaults. Winnow uses none of them.
/// Upstream: ValidateKubeSchedulerConfiguration of pkg/scheduler/apis/config/validation/validation.go
/// v1.37.0, component-base/config/{validation,v1alpha1} v0.37.0.
FieldResult check_settings(const Reader& config, const SettingsRules& rules);
/// What is to be said of a lock that only older releases of the version take; "": nothing. For a version with
/// SettingsRules::old_locks, after check_settings().
std::string old_lock_warning(const Reader& config);

/// Checks that percentageOfNodesToScore is absent or from 0 to 100.
FieldResult check_percentage(const Reader& object, std::string_view path);

}  // namespace winnow
