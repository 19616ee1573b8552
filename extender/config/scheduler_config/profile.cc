#include "extender/config/scheduler_config/profile.h"

#include <algorithm>
#include <format>
#include <utility>

#include "extender/config/scheduler_config/args/args_checks.h"
#include "extender/config/scheduler_config/config_schema.h"
#include "extender/config/scheduler_config/lenient_fields.h"
#include "extender/config/scheduler_config/releases/plugin_table.h"
#include "extender/config/scheduler_config/scheduler_config_settings.h"

namespace winnow {
namespace {

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
    config.args = schema.read({args, path, ignored_});
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
    config.args = schema.read({reader, path, ignored_});
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

}  // namespace winnow
