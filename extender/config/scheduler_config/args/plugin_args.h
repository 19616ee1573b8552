// Internal to extender/config: a plugin's pluginConfig[].args, with defaults and checks. Only .cc files and
// plugin_table.h include this.
//
// A file plugin_args_….cc has some ArgsSchemas: the fields, and the function that reads and checks them. An
// older release may have one of its own.
// Upstream: pkg/scheduler/apis/config/v1/defaults.go and validation/validation_pluginargs.go v1.37.0.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/arguments.h"
#include "cluster/text/json/json_reader.h"
#include "extender/config/common/field_error.h"
#include "extender/config/scheduler_config/args/field_types.h"

namespace winnow {

/// A plugin's arguments, and whether they are valid. The check's result is kept apart, because upstream
/// checks the arguments of NodeResourcesFit only when it makes the plugin. In a profile without it they may
/// be invalid.
struct PluginArgs {
  Arguments values;  ///< monostate for a plugin that Winnow does not run.
  FieldResult sound;
};

/// A plugin's arguments as the file has them. The fields' names and types have been checked before.
struct WrittenArgs {
  const Reader& object;   ///< Empty: all defaults.
  std::string_view path;  ///< The object's path, for errors.
  /// Resources that the file's extenders have as ignoredByScheduler. If there are any, they replace
  /// NodeResourcesFit's own ignoredResources, as upstream does (buildExtenders of
  /// pkg/scheduler/scheduler.go).
  const std::vector<std::string>& ignored;
};

/// The type of a plugin's arguments and their reader. Both members are references, so that neither can be
/// left out.
struct ArgsSchema {
  const FieldType& type;
  PluginArgs (&read)(const WrittenArgs& written);
};

/// Checks that kind and apiVersion, if `args` has them, are those of the plugin's arguments.
/// @param version  of the file: v1.
FieldResult check_args_kind(std::string_view plugin, std::string_view version, const Reader& args,
                            std::string_view path);

}  // namespace winnow
