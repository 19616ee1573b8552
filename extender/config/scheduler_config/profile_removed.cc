#include "extender/config/scheduler_config/profile_removed.h"

#include <algorithm>
#include <format>
#include <utility>

#include "extender/config/scheduler_config/removed_plugins.h"

namespace winnow {
namespace {

/// Calls see(name, path) for each removed plugin that the file enables.
void for_each_removed(const Profile& profile, auto&& see) {
  const auto look = [&](std::string_view field, const PluginSet& set) {
    for (const PluginEntry& entry : set.enabled)
      if (!removed_plugin(entry.name).empty())
        see(entry.name, std::format("{}.plugins.{}.enabled[{}].name", profile.path, field, *entry.index));
  };
  look("multiPoint", profile.custom.multi_point);
  for (std::size_t i = 0; i < kPoints; ++i) look(name_of(static_cast<Point>(i)).field, profile.custom.at[i]);
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
  const auto lost = [&](std::string_view name) {
    return !removed_plugin(name).empty() && find_plugin(release, name) == nullptr;
  };
  FieldResult result;
  for_each_removed(profile, [&](std::string_view name, const std::string& path) {
    if (result && lost(name)) result = invalid(path, name, removed_plugin(name));
  });
  if (!release.refuses_args_of_removed) return result;
  for (std::size_t i = 0; i < profile.configs.size(); ++i)
    if (const std::string& name = profile.configs[i].name; result && lost(name))
      result = invalid(std::format("{}.pluginConfig[{}].name", profile.path, i), name, removed_plugin(name));
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
