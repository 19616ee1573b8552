// Internal to extender/config: pluginConfig[].args of a plugin, defaulted and checked. Only .cc files and
// plugin_table.h include this.
//
// A file plugin_args_….cc has one or two ArgsSchemas: the fields, and the function that reads and checks
// them. Upstream: pkg/scheduler/apis/config/v1/defaults.go and validation/validation_pluginargs.go v1.37.0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/arguments.h"
#include "cluster/text/json_reader.h"
#include "extender/config/common/field_error.h"
#include "extender/config/scheduler_config/field_types.h"

namespace winnow {

/// Upstream asks whether the arguments of NodeResourcesFit are sound when it makes the plugin only: of a
/// profile without it they may be anything.
struct PluginArgs {
  Arguments values;  ///< monostate for a plugin that Winnow does not run.
  FieldResult sound;
};

/// What is written of a plugin's arguments. The fields' names and types have been checked before.
struct WrittenArgs {
  const Reader& object;   ///< Empty: all defaults.
  std::string_view path;  ///< Of the object, for errors.
  /// Resources that the file's extenders manage alone; if there are any they take the place of
  /// NodeResourcesFit's own ignoredResources, as upstream has it (pkg/scheduler/scheduler.go buildExtenders).
  const std::vector<std::string>& ignored;
};

/// The arguments that a plugin takes. Both are references: a schema without one of them does not compile.
struct ArgsSchema {
  const FieldType& type;
  PluginArgs (&read)(const WrittenArgs& written);
};

/// Whether kind and apiVersion, where `args` has them, are those of the plugin's arguments.
FieldResult check_args_kind(std::string_view plugin, const Reader& args, std::string_view path);

}  // namespace winnow
