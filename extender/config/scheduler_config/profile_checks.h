// Internal to extender/config: the checks of upstream's validation. Only .cc files include this.
//
// Upstream: apis/config/validation/validation.go and profile/profile.go v1.37.0, v1.28.15 and v1.22.17.
#pragma once

#include <vector>

#include "extender/config/common/field_error.h"
#include "extender/config/scheduler_config/profile.h"

namespace winnow {

/// Makes the checks on all profiles together. @return the first thing that is wrong.
FieldResult check_profiles(const std::vector<Profile>& profiles);

}  // namespace winnow
