#include "extender/config/scheduler_config/profile_removed.h"

#include <algorithm>
#include <format>
#include <utility>

#include "extender/config/scheduler_config/releases/config_release.h"
#include "extender/config/scheduler_config/releases/removed_plugins.h"

namespace winnow {
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
  std::string names;
  std::vector<std::string_view> named;
  for (const Profile& profile : profiles)
    for_each_removed(profile, [&](std::string_view name, const std::string&) {
      if (std::ranges::contains(named, name)) return;
      named.push_back(name);
      names.append(names.empty() ? "" : ", ").append(name);
    });
  if (names.empty()) return {};
  return std::format("profiles: kube-scheduler 1.37 no longer has {} and refuses this file; Winnow runs {}",
                     names, named.size() == 1 ? "it" : "them");
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
