// Internal to extender/config: KubeSchedulerConfiguration files of versions that kube-scheduler no longer
// reads, and the changes that they need. Only .cc files include this.
#pragma once

#include <string>
#include <string_view>

#include "cluster/text/json/document.h"
#include "extender/config/common/field_error.h"
#include "extender/config/scheduler_config/releases/config_release.h"

namespace winnow {

/// The error for an apiVersion other than v1. For an old version it lists all changes that the file needs.
std::string version_complaint(std::string_view version, const rapidjson::Value& root);

/// Fails for a file of an older version: kube-scheduler 1.37 refuses it.
FieldResult check_served(const rapidjson::Value& root);

/// What a start says of a file of an older version that Winnow reads, in one line.
std::string version_note(const ConfigRelease& release, const rapidjson::Value& root);

/// What replaces a top-level field of older versions; "" for any other name.
std::string_view moved_field(std::string_view name);

}  // namespace winnow
