// The rules that a KubeSchedulerConfiguration asks for: a RuleSet for each of its profiles.
//
//   scheduler_config.*             the whole file: kind and version, the order of reading, the notes
//   scheduler_config_versions.*    files of versions that are not served any more, and what to change in them
//   scheduler_config_settings.*    what is not about plugins: checked, and of no use here
//   scheduler_setup.*              the same file, as `winnow check` looks at it
//   field_types.h, config_schema.* fields and their types
//   profile.*, profile_rules.cc    from one profile to a RuleSet
//   extension_points.*             where plugins run
//   plugin_table.*                 the plugins, a row for each
//   removed_plugins.*              plugins that are gone
//   plugin_sets.*                  which plugins run where, in which order, with which weights
//   plugin_args*.*, args_checks.*  their arguments: fields, reading, checks
//   profile_args.*                 the arguments that a profile's plugins end up with
//
// Upstream: cmd/kube-scheduler/app/options/configfile.go, pkg/scheduler/apis/config/{scheme,v1,validation},
// pkg/scheduler/{scheduler,profile/profile,framework/runtime/framework}.go v1.37.0. What they accept is
// accepted, what they refuse is refused. Known differences: plugins that are not in-tree are taken for those
// of a scheduler of the user's own; the extenders' certificates are not looked at.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "extender/config/common/loaded_rules.h"

namespace winnow {

/// Reads a KubeSchedulerConfiguration, JSON or YAML. Of several YAML documents the first counts.
/// @return the rules, or one line: `line 3, column 7: …`, or `profiles[0].schedulerName: …`.
std::expected<LoadedRules, std::string> load_scheduler_config(std::string_view text);

}  // namespace winnow
