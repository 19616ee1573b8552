// Internal to extender/config: the plugins of the releases that served older versions, and those that are
// enabled by default. Those of v1 are in plugin_table.h.
//
// Upstream: pkg/scheduler/framework/plugins/registry.go and each plugin's interfaces, and default_plugins.go
// below pkg/scheduler/apis/config, at the default feature gates.
#pragma once

#include <span>

#include "extender/config/scheduler_config/config_release.h"

namespace winnow {

// v1.28.15.
std::span<const PluginRow> plugins_of_v1beta3();
std::span<const DefaultSet> defaults_of_v1beta3();

// v1.22.17.
std::span<const PluginRow> plugins_of_v1beta2();
std::span<const DefaultSet> defaults_of_v1beta2();
std::span<const PluginRow> plugins_of_v1beta1();
std::span<const DefaultSet> defaults_of_v1beta1();

}  // namespace winnow
