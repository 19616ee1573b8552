// The rules of a KubeSchedulerConfiguration: a RuleSet for each of its profiles.
//
//   scheduler_config.*             the whole file: kind and version, the order of reading, the notes
//   releases/                      what differs between the releases that are followed:
//     config_release.*               a row for each version
//     config_fields.*                the fields of each version
//     extension_points.*             the extension points
//     plugin_table.*                 the plugins of v1, a row for each
//     release_plugins.h, plugins_1_….cc  the plugins and defaults of older versions
//     removed_plugins.*              plugins of older schedulers
//     version_notes.*                the changes that files of older versions need
//   algorithm_source.*             where the rules of a v1alpha1 file come from
//   lenient_fields.*               fields that v1.18 took no notice of
//   scheduler_config_settings.*    settings that are not about plugins: checked, and not used
//   scheduler_setup.*              the same file, as `winnow check` reads it
//   field_types.h, config_schema.* fields and their types
//   profile*.*                     one profile: read, checked, made a RuleSet
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
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "extender/config/common/loaded_rules.h"

namespace winnow {

/// Reads the Policy of a file's algorithmSource. @param path  Nothing: an empty Policy.
/// @return the rules, or one line that says what is wrong.
using ReadPolicy =
    std::function<std::expected<LoadedRules, std::string>(const std::optional<std::string>& path)>;

/// Reads a KubeSchedulerConfiguration, JSON or YAML. Only the first of several YAML documents counts.
/// @param read_policy  is called for a v1alpha1 file that names a Policy.
/// @return the rules, or one line: `line 3, column 7: …`, or `profiles[0].schedulerName: …`.
std::expected<LoadedRules, std::string> load_scheduler_config(std::string_view text,
                                                              const ReadPolicy& read_policy);

}  // namespace winnow
