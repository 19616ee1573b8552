// Internal to extender/config: the arguments of a profile's plugins, as the file gives them or by default.
// Only .cc files include this.
#pragma once

#include <span>
#include <string_view>

#include "extender/config/scheduler_config/plugin_table.h"
#include "extender/config/scheduler_config/profile.h"

namespace winnow {

class ProfileArgs {
 public:
  /// @param profile outlives this.
  explicit ProfileArgs(const Profile& profile) : profile_(profile) {}

  /// Whether each of these plugins that the profile enables can be made with the arguments that it has,
  /// written or default.
  FieldResult check(std::span<const PluginRow> plugins) const;

  /// Of a plugin that takes none: monostate.
  Arguments of(const PluginRow& plugin) const;

 private:
  const ConfiguredPlugin* written(std::string_view plugin) const;
  PluginArgs by_default(const PluginRow& plugin) const;
  bool has_any(std::string_view plugin) const;

  const Profile& profile_;
};

}  // namespace winnow
