#include "extender/config/scheduler_config/profile_args.h"

#include <algorithm>
#include <format>
#include <utility>

namespace winnow {

const ConfiguredPlugin* ProfileArgs::written(std::string_view plugin) const {
  const auto found = std::ranges::find(profile_.configs, plugin, &ConfiguredPlugin::name);
  return found == profile_.configs.end() ? nullptr : &*found;
}

PluginArgs ProfileArgs::by_default(const PluginRow& plugin) const {
  static const rapidjson::Value kNothingWritten(rapidjson::kObjectType);
  std::string unused;
  const std::string path = std::format("{}[{}].args", child(profile_.path, "pluginConfig"), plugin.name);
  return plugin.args->read({Reader(kNothingWritten, nullptr, unused), path, profile_.ignored});
}

/// Whether the plugin has arguments at all. Upstream gives default ones to plugins enabled at any point but
/// podGroupPostFilter, and cannot make some plugins without.
bool ProfileArgs::has_any(std::string_view plugin) const {
  if (written(plugin) != nullptr) return true;
  PluginSets defaulted = profile_.plugins;
  defaulted[Point::kPodGroupPostFilter] = {};
  return is_needed(defaulted, plugin);
}

FieldResult ProfileArgs::check(std::span<const PluginRow> plugins) const {
  const bool of_118 = profile_.release->of_118.plugins_read_args;
  if (!of_118 && !profile_.ignored.empty() && !has_any("NodeResourcesFit"))
    return std::unexpected(
        std::format("{}.pluginConfig: can't find NodeResourcesFitArgs in plugin config: "
                    "extenders have resources that are ignoredByScheduler",
                    profile_.path));
  for (const PluginRow& plugin : plugins) {
    if (plugin.args == nullptr || !is_needed(profile_.plugins, plugin.name)) continue;
    if (!has_any(plugin.name))
      return std::unexpected(
          std::format("{}.pluginConfig: {} has no args: a plugin that is enabled at podGroupPostFilter alone "
                      "gets no default ones",
                      profile_.path, plugin.name));
    const ConfiguredPlugin* const config = written(plugin.name);
    if (FieldResult sound = config != nullptr ? config->args.sound : by_default(plugin).sound; !sound)
      return sound;
  }
  return {};
}

Arguments ProfileArgs::of(const PluginRow& plugin) const {
  if (plugin.args == nullptr) return {};
  const ConfiguredPlugin* const config = written(plugin.name);
  return config != nullptr ? config->args.values : by_default(plugin).values;
}

}  // namespace winnow
