// Internal to extender/config: pluginConfig[].args of the in-tree plugins, defaulted and checked. Only .cc
// files include this.
//
// Upstream: pkg/scheduler/apis/config/v1/defaults.go and validation/validation_pluginargs.go v1.37.0. Their
// fields' names and types have been checked before (config_schema.h).
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/decode/reader.h"
#include "cluster/rule/arguments.h"
#include "extender/config/field_error.h"

namespace winnow {

/// Upstream asks whether the arguments of NodeResourcesFit are sound when it makes the plugin only: of a
/// profile without it they may be anything.
struct PluginArgs {
  Arguments values;  ///< monostate for a plugin that Winnow does not run.
  FieldResult sound;
};

/// @param args the object; null is all defaults.
/// @param path of `args`, for errors.
/// @param ignored resources that the file's extenders manage alone; if there are any they take the place of
/// NodeResourcesFit's own ignoredResources, as upstream has it (pkg/scheduler/scheduler.go buildExtenders).
PluginArgs read_plugin_args(std::string_view plugin, const Reader& args, std::string_view path,
                            const std::vector<std::string>& ignored);

/// Whether kind and apiVersion, where `args` has them, are those of the plugin's arguments.
FieldResult check_args_kind(std::string_view plugin, const Reader& args, std::string_view path);

}  // namespace winnow
