// The rules of a KubeSchedulerConfiguration: a RuleSet for each of its profiles.
//
//   scheduler_config.*             the whole file: kind and version, the order of reading, the notes
//   config_release.*               what differs between versions, a row for each
//   release_plugins.*              the plugins and defaults of older versions
//   scheduler_config_versions.*    the changes that files of older versions need
//   scheduler_config_settings.*    settings that are not about plugins: checked, and not used
//   scheduler_setup.*              the same file, as `winnow check` reads it
//   field_types.h, config_schema.* fields and their types, of each version in config_fields.*
//   profile*.*                     one profile: read, checked, made a RuleSet
//   extension_points.*             the extension points
//   plugin_table.*                 the plugins, a row for each
//   removed_plugins.*              plugins of older schedulers
//   plugin_sets.*                  the plugins at each extension point: order and weights
//   plugin_args*.*, args_checks.*  the plugins' arguments: fields, reading, checks
//   profile_args.*                 the arguments of a profile's plugins, written or default
//
// A file of an older version is read as the last release that served it.
//
// Winnow accepts and refuses the same files as upstream, with three known differences. A plugin that is not
// in-tree is taken for one of the user's own scheduler. A file of v1 may name plugins that upstream has
// removed. The extenders' certificates are not checked.
// Upstream: cmd/kube-scheduler/app/options/configfile.go, pkg/scheduler/apis/config/{scheme,v1,validation},
// pkg/scheduler/{scheduler,profile/profile,framework/runtime/framework}.go v1.37.0.
#pragma once

#include <expected>
#include <string>
#include <string_view>

#include "extender/config/common/loaded_rules.h"

namespace winnow {

/// Reads a KubeSchedulerConfiguration, JSON or YAML. Only the first of several YAML documents counts.
/// @return the rules, or one line: `line 3, column 7: …`, or `profiles[0].schedulerName: …`.
std::expected<LoadedRules, std::string> load_scheduler_config(std::string_view text);

}  // namespace winnow
