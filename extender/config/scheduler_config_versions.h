// Internal to extender/config: KubeSchedulerConfiguration files of versions that no scheduler of today reads.
// Only .cc files include this.
#pragma once

#include <string>
#include <string_view>

#include "cluster/feed/document.h"

namespace winnow {

/// What is wrong with an apiVersion that is not the present one, and what else the file needs to be changed
/// in.
std::string version_complaint(std::string_view version, const rapidjson::Value& root);

/// Where a top-level field of older versions has gone; "" for any other.
std::string_view moved_field(std::string_view name);

}  // namespace winnow
