// Internal to extender/config: the Policy that a v1alpha1 file names in its algorithmSource. Only .cc files
// include this.
//
// v1.18 read such a Policy, and made plugins of it. Here it becomes classic rules, as any Policy does, after
// the checks of v1.18.
// Upstream: pkg/scheduler/scheduler.go initPolicyFromFile, apis/config/validation/validation.go
// ValidatePolicy and framework/plugins/legacy_registry.go v1.18.20.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "extender/config/extenders.h"
#include "extender/config/gates.h"

namespace winnow {

/// @param path  of the Policy, relative to the working directory; nothing: an empty Policy.
/// @param gates  those of the command line; EvenPodsSpread is on, as it was by default.
/// @return the rules, or one line that says what is wrong.
std::expected<LoadedRules, std::string> load_policy_beside(const std::optional<std::string>& path,
                                                           Gates gates);

}  // namespace winnow
