// Internal to extender/config: the plugins of the releases that served older versions, and those that are
// enabled by default. Those of v1 are in plugin_table.h.
//
// Upstream: pkg/scheduler/framework/plugins/registry.go and each plugin's interfaces, and default_plugins.go
// below pkg/scheduler/apis/config, at the default feature gates. release_plugins.cc has those of each
// release.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "extender/config/plugin_table.h"

namespace winnow {

struct DefaultPlugin {
  std::string_view name;
  std::int32_t weight = 0;  ///< 0: none.
};

/// The plugins that are enabled by default at an extension point, in order.
struct DefaultSet {
  std::optional<Point> point;  ///< Nothing: multiPoint.
  std::span<const DefaultPlugin> plugins;
};

// v1.28.15.
std::span<const PluginRow> plugins_of_v1beta3();
std::span<const DefaultSet> defaults_of_v1beta3();

// v1.27.16.
std::span<const PluginRow> plugins_of_v1beta2();
std::span<const DefaultSet> defaults_of_v1beta2();

// v1.22.17.
std::span<const PluginRow> plugins_of_v1beta1();
std::span<const DefaultSet> defaults_of_v1beta1();

// v1.18.20. The second defaults are those of the provider ClusterAutoscalerProvider.
std::span<const PluginRow> plugins_of_v1alpha();
std::span<const DefaultSet> defaults_of_v1alpha();
std::span<const DefaultSet> autoscaler_defaults_of_v1alpha();

}  // namespace winnow
