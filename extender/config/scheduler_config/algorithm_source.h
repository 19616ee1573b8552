// Internal to extender/config: the algorithmSource of a v1alpha1 file, which says where the default rules
// come from. Only .cc files include this.
//
// Upstream: pkg/scheduler/scheduler.go New and factory.go createFromProvider, createFromConfig v1.18.20.
#pragma once

#include <expected>
#include <optional>
#include <string>

#include "cluster/text/json/json_reader.h"
#include "extender/config/scheduler_config/releases/config_release.h"

namespace winnow {

struct AlgorithmSource {
  const ConfigRelease* release = nullptr;  ///< v1alpha1 with the provider's default plugins.
  bool is_policy = false;                  ///< A Policy has the rules.
  std::optional<std::string> policy_path;  ///< Its file; nothing: an empty Policy.
};

/// Reads the algorithmSource of a v1alpha1 file whose fields have been checked.
/// @return the source, or one line: the provider is unknown, the Policy is in a ConfigMap, or the file has
///   plugins beside a Policy.
std::expected<AlgorithmSource, std::string> read_algorithm_source(const Reader& config);

}  // namespace winnow
