// Internal to extender/config: the arguments of a profile's plugins, from the file or by default. Only .cc
// files include this.
#pragma once

#include <span>
#include <string_view>

#include "extender/config/scheduler_config/profile.h"
#include "extender/config/scheduler_config/releases/plugin_table.h"

namespace winnow {

/// A view of one profile.
class ProfileArgs {
 public:
  /// @param profile  must outlive this.
  explicit ProfileArgs(const Profile& profile) : profile_(profile) {}

  /// Checks that upstream can make each of these plugins that the profile enables, with its written or
  /// default arguments. @return the error, if it cannot.
  FieldResult check(std::span<const PluginRow> plugins) const;

  /// The plugin's arguments; monostate if it takes none.
  Arguments of(const PluginRow& plugin) const;

 private:
  const ConfiguredPlugin* written(std::string_view plugin) const;
  PluginArgs by_default(const PluginRow& plugin) const;
  bool has_any(std::string_view plugin) const;

  const Profile& profile_;
};

}  // namespace winnow
