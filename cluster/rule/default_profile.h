// The order in which kube-scheduler's default profile enables its plugins, in every release that Winnow
// reads. A plugin's weight stands in its record.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "cluster/rule/releases.h"

namespace winnow {

/// The plugins that are enabled by default at an extension point, in order.
struct DefaultSet {
  std::optional<Point> point;  ///< Nothing: multiPoint.
  std::span<const std::string_view> plugins;
};

/// Upstream: default_plugins.go below pkg/scheduler/apis/config of each release, at the default feature
/// gates; of 1.18 pkg/scheduler/algorithmprovider/registry.go v1.18.20.
std::span<const DefaultSet> default_profile(Release release);
/// Of 1.18's provider ClusterAutoscalerProvider.
std::span<const DefaultSet> autoscaler_profile();

/// The place of a plugin in 1.37's default profile; the number of its plugins if it is not there.
std::size_t default_place(std::string_view plugin);
/// Whether 1.37's default profile enables the plugin.
bool is_default(std::string_view plugin);

}  // namespace winnow
