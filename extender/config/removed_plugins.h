// Plugins of older schedulers that v1.37 lacks, and what files of older versions have to change.
// Winnow runs these plugins: their records say kRemoved.
#pragma once

#include <string>
#include <string_view>

#include "cluster/text/field_result.h"
#include "cluster/text/json_reader.h"

namespace winnow {

struct ConfigRelease;

/// The message about a removed plugin, such as `was removed in v1, …`; "" for any other name.
std::string_view removed_plugin(std::string_view name);

// Internal to extender/config: KubeSchedulerConfiguration files of versions that kube-scheduler no longer
// reads, and the changes that they need. Only .cc files include this.

/// The error for an apiVersion other than v1. For an old version it lists all changes that the file needs.
std::string version_complaint(std::string_view version, const rapidjson::Value& root);

/// Fails for a file of an older version: kube-scheduler 1.37 refuses it.
FieldResult check_served(const rapidjson::Value& root);

/// What a start says of a file of an older version that Winnow reads, in one line.
std::string version_note(const ConfigRelease& release, const rapidjson::Value& root);

/// What replaces a top-level field of older versions; "" for any other name.
std::string_view moved_field(std::string_view name);

}  // namespace winnow
