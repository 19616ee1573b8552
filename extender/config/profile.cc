#include "extender/config/profile.h"

#include <algorithm>
#include <format>
#include <utility>

#include "cluster/rule/expression_args.h"
#include "cluster/text/go_format.h"
#include "extender/config/config_release.h"
#include "extender/config/config_schema.h"
#include "extender/config/plugin_table.h"
#include "extender/config/removed_plugins.h"
#include "extender/config/scheduler_config_settings.h"
#include "extender/engine/ruleset.h"
#include "priorities/pod_affinity.h"

namespace winnow {
namespace {

/// Checks that kind and apiVersion, if `args` has them, are those of the plugin's arguments.
/// @param version  of the file: v1.
FieldResult check_args_kind(std::string_view plugin, std::string_view version, const Reader& args,
                            std::string_view path) {
  std::string kind;
  std::string written;
  args.read("kind", kind);
  args.read("apiVersion", written);
  const std::string expected_kind = std::string(plugin.substr(0, plugin.find('/'))) + "Args";
  if (!kind.empty() && kind != expected_kind)
    return std::unexpected(std::format("{}.kind: args for plugin {} were not of type {}, got {}", path,
                                       plugin, expected_kind, kind));
  // A missing version, with or without a missing group, is the configuration's own.
  const std::string group(kSchedulerConfigGroup);
  if (written.empty() || written == "/" || written == group || written == group + std::string(version))
    return {};
  return std::unexpected(
      std::format("{}.apiVersion: {} is not {}{}", path, go_quote(written), group, version));
}

/// Reads profiles. The types of their fields have been checked, so only a check of arguments can fail.
class ProfileReader {
 public:
  ProfileReader(const ConfigRelease& release, const std::vector<std::string>& ignored, std::string& error)
      : release_(release), ignored_(ignored), error_(error) {}

  FieldResult read(const Reader& r, std::size_t index, bool alone) {
    Profile& profile = profiles_.emplace_back();
    profile.release = &release_;
    if (!release_.of_118.one_profile) profile.path = element("profiles", index);
    profile.ignored = ignored_;
    if (alone && !r.has("schedulerName")) profile.scheduler_name = kDefaultSchedulerName;
    r.read("schedulerName", profile.scheduler_name);
    r.within("plugins", [&](const Reader& plugins) {
      profile.names_queue_sort = plugins.has("queueSort");
      return read_sets(plugins, profile.custom);
    });
    profile.plugins = merge_into_defaults(profile.custom, release_);
    FieldResult good = check_percentage(r, profile.path);
    std::size_t place = 0;
    r.for_each_in("pluginConfig", [&](const Reader& config) {
      if (good) good = read_config(config, element(child(profile.path, "pluginConfig"), place++), profile);
      return good.has_value();
    });
    if (release_.of_118.one_profile) read_hard_weight(r, profile);
    return good;
  }

  std::vector<Profile> take() { return std::move(profiles_); }

 private:
  /// The weight becomes arguments of InterPodAffinity. Upstream: v1alpha1/conversion.go v1.18.20.
  static void read_hard_weight(const Reader& r, Profile& profile) {
    constexpr std::string_view kField = "hardPodAffinitySymmetricWeight";
    if (!r.has(kField)) return;
    InterPodAffinityArgs args;
    r.read(kField, args.hard_pod_affinity_weight);
    ConfiguredPlugin& config = profile.configs.emplace_back();
    config.name = "InterPodAffinity";
    config.args = {args, check_range(kField, args.hard_pod_affinity_weight, 0, kMaxPercent)};
  }

  bool read_sets(const Reader& plugins, PluginSets& sets) const {
    for (std::size_t i = 0; i < kPoints; ++i) {
      const Point point = static_cast<Point>(i);
      plugins.within(field_of(release_, point),
                     [&](const Reader& set) { return read_set(set, sets[point]); });
    }
    return plugins.within("multiPoint", [&](const Reader& set) { return read_set(set, sets.multi_point); });
  }

  static bool read_set(const Reader& r, PluginSet& set) {
    return read_entries(r, "enabled", set.enabled) && read_entries(r, "disabled", set.disabled);
  }

  static bool read_entries(const Reader& r, std::string_view key, std::vector<PluginEntry>& entries) {
    return r.for_each_in(key, [&](const Reader& element) {
      const std::size_t index = entries.size();
      PluginEntry& entry = entries.emplace_back();
      entry.index = index;
      return element.is_null() || (element.read("name", entry.name) && element.read("weight", entry.weight));
    });
  }

  FieldResult read_config(const Reader& r, const std::string& path, Profile& profile) {
    ConfiguredPlugin& config = profile.configs.emplace_back();
    if (r.is_null()) return {};
    r.read("name", config.name);
    if (r.has("args")) config.written = &r.value().FindMember("args")->value;
    const PluginRow* const plugin = find_plugin(release_, config.name);
    if (plugin == nullptr || plugin->args == nullptr) return {};
    static const rapidjson::Value kEmpty(rapidjson::kObjectType);
    const std::string args_path = child(path, "args");
    if (release_.of_118.plugins_read_args) {
      read_args_of_118(config, *plugin->args, args_path);
      return {};
    }
    if (config.written == nullptr)
      return read_args(config, *plugin->args, Reader(kEmpty, nullptr, error_), args_path);
    FieldResult good;
    const bool is_object = r.within("args", [&](const Reader& args) {
      good = read_args(config, *plugin->args, args, args_path);
      return true;
    });
    return is_object ? good : std::unexpected(error_);
  }

  FieldResult read_args(ConfiguredPlugin& config, const ArgsSchema& schema, const Reader& args,
                        const std::string& path) {
    if (!check_fields(args, schema.type)) return std::unexpected(error_);
    if (auto good = check_args_kind(config.name, release_.version, args, path); !good) return good;
    config.args = schema.read({args, path, ignored_, config.name});
    return {};
  }

  /// Reads what the plugin itself would, once it is enabled: only then an error counts.
  void read_args_of_118(ConfiguredPlugin& config, const ArgsSchema& schema, const std::string& path) const {
    rapidjson::Document args(rapidjson::kObjectType);
    if (config.written != nullptr && !config.written->IsNull())
      args.CopyFrom(*config.written, args.GetAllocator());
    drop_unused(args, args.GetAllocator(), schema.type, FieldNames::kAnyCase, path);
    std::string error;
    const Reader reader(args, nullptr, error);
    if (!reader.expect_object()) {
      config.args.sound = std::unexpected(path + ": " + error);
    } else if (!check_fields(reader, schema.type)) {
      config.args.sound = std::unexpected(child(path, error));
    }
    if (!config.args.sound) return;
    config.args = schema.read({reader, path, ignored_, config.name});
  }

  const ConfigRelease& release_;
  const std::vector<std::string>& ignored_;
  std::string& error_;
  std::vector<Profile> profiles_;
};

}  // namespace

std::expected<std::vector<Profile>, std::string> read_profiles(const Reader& config,
                                                               const ConfigRelease& release,
                                                               const std::vector<std::string>& ignored,
                                                               std::string& error) {
  static const rapidjson::Value kEmpty(rapidjson::kObjectType);
  const Reader none(kEmpty, nullptr, error);
  ProfileReader reader(release, ignored, error);
  if (release.of_118.one_profile) {
    if (auto good = reader.read(config, 0, /*alone=*/true); !good)
      return std::unexpected(std::move(good).error());
    return reader.take();
  }
  std::size_t count = 0;
  config.for_each_in("profiles", [&](const Reader&) { return ++count > 0; });
  std::size_t index = 0;
  FieldResult good;
  if (count == 0) good = reader.read(none, 0, /*alone=*/true);
  config.for_each_in("profiles", [&](const Reader& profile) {
    good = reader.read(profile.is_null() ? none : profile, index++, count == 1);
    return good.has_value();
  });
  if (!good) return std::unexpected(std::move(good).error());
  return reader.take();
}

const ConfiguredPlugin* ProfileArgs::written(std::string_view plugin) const {
  const auto found = std::ranges::find(profile_.configs, plugin, &ConfiguredPlugin::name);
  return found == profile_.configs.end() ? nullptr : &*found;
}

PluginArgs ProfileArgs::by_default(const PluginRow& plugin, std::string_view name) const {
  static const rapidjson::Value kNothingWritten(rapidjson::kObjectType);
  std::string unused;
  const std::string path = std::format("{}[{}].args", child(profile_.path, "pluginConfig"), name);
  return plugin.args->read({Reader(kNothingWritten, nullptr, unused), path, profile_.ignored, name});
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
    if (plugin.args == nullptr) continue;
    for (const std::string& name : names_of(plugin)) {
      if (!has_any(name))
        return std::unexpected(std::format(
            "{}.pluginConfig: {} has no args: a plugin that is enabled at podGroupPostFilter alone "
            "gets no default ones",
            profile_.path, name));
      const ConfiguredPlugin* const config = written(name);
      if (FieldResult sound = config != nullptr ? config->args.sound : by_default(plugin, name).sound; !sound)
        return sound;
    }
  }
  return {};
}

std::vector<std::string> ProfileArgs::names_of(const PluginRow& plugin) const {
  std::vector<std::string> names;
  const auto is_its = [&](std::string_view name) {
    return name == plugin.name ||
           (name.starts_with(kExpressionPrefix) && kExpressionPrefix.starts_with(plugin.name));
  };
  const auto look = [&](const PluginSet& set) {
    for (const PluginEntry& entry : set.enabled)
      if (is_its(entry.name) && !std::ranges::contains(names, entry.name)) names.push_back(entry.name);
  };
  look(profile_.plugins.multi_point);
  for (const PluginSet& set : profile_.plugins.at) look(set);
  return names;
}

Arguments ProfileArgs::of(const PluginRow& plugin, std::string_view name) const {
  if (plugin.args == nullptr) return {};
  const ConfiguredPlugin* const config = written(name);
  return config != nullptr ? config->args.values : by_default(plugin, name).values;
}

namespace {

/// Calls see(name, path) for each plugin that the file enables.
void for_each_enabled(const Profile& profile, auto&& see) {
  const auto look = [&](std::string_view field, const PluginSet& set) {
    for (const PluginEntry& entry : set.enabled)
      see(entry.name,
          std::format("{}.{}.enabled[{}].name", child(profile.path, "plugins"), field, *entry.index));
  };
  if (!profile.release->merging.drops_multi_point) look("multiPoint", profile.custom.multi_point);
  for (std::size_t i = 0; i < kPoints; ++i) {
    const Point point = static_cast<Point>(i);
    const bool dropped = point == Point::kPreEnqueue && profile.release->merging.drops_pre_enqueue;
    if (!dropped) look(field_of(*profile.release, point), profile.custom[point]);
  }
}

/// The same for each removed plugin.
void for_each_removed(const Profile& profile, auto&& see) {
  for_each_enabled(profile, [&](std::string_view name, const std::string& path) {
    if (!removed_plugin(name).empty()) see(name, path);
  });
}

}  // namespace

std::string removed_plugins_warning(const std::vector<Profile>& profiles) {
  std::string names, instead;
  std::vector<std::string_view> named;
  for (const Profile& profile : profiles)
    for_each_removed(profile, [&](std::string_view name, const std::string&) {
      if (std::ranges::contains(named, name)) return;
      named.push_back(name);
      names.append(names.empty() ? "" : ", ").append(name);
      instead += std::format("; {} {}", name, removed_plugin(name));
    });
  if (names.empty()) return {};
  return std::format("profiles: kube-scheduler 1.37 no longer has {} and refuses this file; Winnow runs {}{}",
                     names, named.size() == 1 ? "it" : "them", instead);
}

FieldResult check_known_then(const Profile& profile) {
  const ConfigRelease& release = *profile.release;
  FieldResult result;
  for_each_enabled(profile, [&](std::string_view name, const std::string& path) {
    if (!result || find_plugin(release, name) != nullptr) return;
    const bool had_none = &release != &today_release() && is_plugin_of_any_release(name);
    if (!had_none) return;
    // v1.18 had the removed ones, but for one that came later.
    const std::string_view removed =
        release.of_118.plugins_read_args ? std::string_view() : removed_plugin(name);
    result = removed.empty()
                 ? invalid(path, name, std::format("kube-scheduler {} had no such plugin", release.release))
                 : invalid(path, name, removed);
  });
  return result;
}

FieldResult check_not_removed(const Profile& profile) {
  FieldResult result;
  for_each_removed(profile, [&](std::string_view name, const std::string& path) {
    if (result) result = invalid(path, name, removed_plugin(name));
  });
  return result;
}

}  // namespace winnow
