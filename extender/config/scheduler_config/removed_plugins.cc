#include "extender/config/scheduler_config/removed_plugins.h"

#include <algorithm>
#include <format>

namespace winnow {
namespace {

struct Removed {
  std::string_view name;
  std::string_view says;
};
constexpr std::string_view kLimitedNow = "was removed, NodeVolumeLimits limits these volumes too";
constexpr Removed kRemoved[] = {
    {"AzureDiskLimits", kLimitedNow},
    {"CinderLimits", kLimitedNow},
    {"EBSLimits", kLimitedNow},
    {"GCEPDLimits", kLimitedNow},
    {"NodeLabel", "was removed in v1beta2, NodeAffinity with addedAffinity does its work"},
    {"NodePreferAvoidPods", "was removed in v1beta2, TaintToleration does its work"},
    {"NodeResourcesLeastAllocated",
     "was removed in v1beta2, NodeResourcesFit with scoringStrategy.type LeastAllocated does its work"},
    {"NodeResourcesMostAllocated",
     "was removed in v1beta2, NodeResourcesFit with scoringStrategy.type MostAllocated does its work"},
    {"RequestedToCapacityRatio",
     "was removed in v1beta2, NodeResourcesFit with scoringStrategy.type RequestedToCapacityRatio does its "
     "work"},
    {"SelectorSpread", "was removed in v1, PodTopologySpread with defaultingType System does its work"},
    {"ServiceAffinity", "was removed in v1beta2, InterPodAffinity does its work"},
};

const Removed* find_removed(std::string_view name) {
  const auto removed = std::ranges::find(kRemoved, name, &Removed::name);
  return removed == std::end(kRemoved) ? nullptr : &*removed;
}

/// Calls see(name, path) for each removed plugin that the file enables.
void for_each_removed(const Profile& profile, auto&& see) {
  const auto look = [&](std::string_view field, const PluginSet& set) {
    for (const PluginEntry& entry : set.enabled)
      if (find_removed(entry.name) != nullptr)
        see(entry.name, std::format("{}.plugins.{}.enabled[{}].name", profile.path, field, *entry.index));
  };
  look("multiPoint", profile.custom.multi_point);
  for (std::size_t i = 0; i < kPoints; ++i) look(name_of(static_cast<Point>(i)).field, profile.custom.at[i]);
}

}  // namespace

std::string_view removed_plugin(std::string_view name) {
  const Removed* const removed = find_removed(name);
  return removed == nullptr ? std::string_view() : removed->says;
}

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
  return std::format(
      "profiles: kube-scheduler 1.37 no longer has the plugins {}: they run here, and it refuses this file",
      names);
}

FieldResult check_known_then(const Profile& profile) {
  const ConfigRelease& release = *profile.release;
  const auto lost = [&](std::string_view name) {
    return find_removed(name) != nullptr && find_plugin(release, name) == nullptr;
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
