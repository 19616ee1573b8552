// Internal to extender/config: KubeSchedulerConfiguration files of versions that no scheduler of today reads.
// Only .cc files include this.
#pragma once

#include <string>
#include <string_view>

#include "cluster/text/document.h"

namespace winnow {

inline constexpr std::string_view kSchedulerConfigKind = "KubeSchedulerConfiguration";
inline constexpr std::string_view kSchedulerConfigGroup = "kubescheduler.config.k8s.io/";
inline constexpr std::string_view kSchedulerConfigVersion = "v1";

/// What is wrong with an apiVersion that is not the present one, and what else the file needs to be changed
/// in.
std::string version_complaint(std::string_view version, const rapidjson::Value& root);

/// Where a top-level field of older versions has gone; "" for any other.
std::string_view moved_field(std::string_view name);

}  // namespace winnow
