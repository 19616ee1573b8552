// Internal to extender/config: KubeSchedulerConfiguration files of versions that kube-scheduler no longer
// reads. Only .cc files include this.
#pragma once

#include <string>
#include <string_view>

#include "cluster/text/json/document.h"

namespace winnow {

/// The error for an apiVersion other than v1. For an old version it lists all changes that the file needs.
std::string version_complaint(std::string_view version, const rapidjson::Value& root);

/// What replaces a top-level field of older versions; "" for any other name.
std::string_view moved_field(std::string_view name);

}  // namespace winnow
