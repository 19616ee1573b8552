// The rules of a KubeSchedulerConfiguration, and the algorithmSource of a v1alpha1 file.
// An algorithmSource says where the default rules come from; it is internal to extender/config.
//
// Upstream: pkg/scheduler/scheduler.go New and factory.go createFromProvider, createFromConfig v1.18.20.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "extender/config/config_document.h"
#include "extender/config/extenders.h"
#include "extender/config/gates.h"

namespace winnow {

class Reader;
struct ConfigRelease;

struct AlgorithmSource {
  const ConfigRelease* release = nullptr;  ///< v1alpha1 with the provider's default plugins.
  bool is_policy = false;                  ///< A Policy has the rules.
  std::optional<std::string> policy_path;  ///< Its file; nothing: an empty Policy.
};

/// Reads the algorithmSource of a v1alpha1 file whose fields have been checked.
/// @return the source, or one line: the provider is unknown, the Policy is in a ConfigMap, or the file has
///   plugins beside a Policy.
std::expected<AlgorithmSource, std::string> read_algorithm_source(const Reader& config);

// The rules of a KubeSchedulerConfiguration: a RuleSet for each of its profiles.
//
//   scheduler_config.*             the whole file: kind and version, the order of reading, the notes;
//                                  and where the rules of a v1alpha1 file come from
//   scheduler_config_settings.*    settings that are not about plugins: checked, and not used
//   scheduler_setup.*              the same file, as `winnow check` reads it
//   what differs between the releases that are followed:
//     config_release.*               a row and the fields of each version
//     plugin_table.*                 the plugins of each release, made of the rules' records
//     removed_plugins.*              plugins of older schedulers, and the changes that files of older
//                                    versions need
//     v1_18_policy.*                 the Policy that a v1alpha1 file names
//   config_schema.*                checks of fields and their types, and fields that v1.18 took no notice
//                                  of
//   profile.*, profile_rules.cc    one profile: read, checked, made a RuleSet; with the arguments of its
//                                  plugins, written or default
//   plugin_sets.*                  the plugins at each extension point: order and weights
//   kept_config.*                  what a recording keeps of the file
//
// A file of an older version is read as the last release that served it.
//
// Winnow accepts and refuses the same files as upstream, with three known differences. A plugin that is not
// in-tree is taken for one of the user's own scheduler. A file of v1 may name plugins that upstream has
// removed. The extenders' certificates are not checked.
// Upstream: cmd/kube-scheduler/app/options/configfile.go, pkg/scheduler/apis/config/{scheme,v1,validation},
// pkg/scheduler/{scheduler,profile/profile,framework/runtime/framework}.go v1.37.0.

/// Reads a KubeSchedulerConfiguration. Only the first of several YAML documents counts. What a lenient
/// release took no notice of is dropped from the document.
/// @param gates  for the Policy that a v1alpha1 file may name.
/// @return the rules, or one line: `line 3, column 7: …`, or `profiles[0].schedulerName: …`.
std::expected<LoadedRules, std::string> load_scheduler_config(ConfigDocument& document, const Gates& gates);

}  // namespace winnow
