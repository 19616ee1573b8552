#include "extender/config/scheduler_config/config_release.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "extender/config/scheduler_config/args/config_version.h"
#include "extender/config/scheduler_config/config_fields.h"

namespace winnow {
namespace {

/// Upstream: conflictScorePluginsByVersion of validation.go v1.22.17.
constexpr std::string_view kNotBesideFit[] = {"NodeResourcesLeastAllocated", "NodeResourcesMostAllocated",
                                              "RequestedToCapacityRatio"};

/// Those of multiPoint in v1: the rows of plugin_table.cc have them.
std::span<const DefaultSet> defaults_of_v1() {
  static const std::vector<DefaultPlugin> kOfV1 = [] {
    std::vector<DefaultPlugin> plugins;
    for (const PluginRow* row : default_plugins()) plugins.push_back({row->name, *row->default_weight});
    return plugins;
  }();
  static const DefaultSet kSets[] = {{std::nullopt, kOfV1}};
  return kSets;
}

/// Newest first. Upstream: default_plugins.go, defaults.go and validation.go below pkg/scheduler/apis/config.
std::span<const ConfigRelease> releases() {
  static const std::array<ConfigRelease, 4> kReleases = {{
      {.version = kSchedulerConfigVersion,  // v1.37.0
       .release = "1.37",
       .fields = kConfigV1,
       .plugins = plugin_rows(),
       .defaults = defaults_of_v1()},
      {.version = "v1beta3",  // v1.28.15
       .release = "1.28",
       .fields = kConfigV1Beta3,
       .plugins = plugins_of_v1beta3(),
       .defaults = defaults_of_v1beta3(),
       .merging = {.drops_pre_enqueue = true}},
      {.version = "v1beta2",  // v1.22.17
       .release = "1.22",
       .fields = kConfigV1Beta1,
       .plugins = plugins_of_v1beta2(),
       .defaults = defaults_of_v1beta2(),
       .merging = {.keeps_disabled = false},
       .settings = {.lease_may_equal_renewal = true, .any_lock = true, .addresses = BindAddresses::kAddress},
       .refuses_args_of_removed = true},
      {.version = "v1beta1",  // v1.22.17
       .release = "1.22",
       .fields = kConfigV1Beta1,
       .plugins = plugins_of_v1beta1(),
       .defaults = defaults_of_v1beta1(),
       .merging = {.replaces = false, .keeps_disabled = false},
       .settings = {.lease_may_equal_renewal = true, .any_lock = true, .addresses = BindAddresses::kAny},
       .not_beside_fit = kNotBesideFit},
  }};
  return kReleases;
}

}  // namespace

const ConfigRelease* find_release(std::string_view version) {
  const auto found = std::ranges::find(releases(), version, &ConfigRelease::version);
  return found == releases().end() ? nullptr : &*found;
}

const ConfigRelease& today_release() { return releases().front(); }

const PluginRow* find_plugin(const ConfigRelease& release, std::string_view name) {
  const auto row = std::ranges::find(release.plugins, name, &PluginRow::name);
  return row == release.plugins.end() ? nullptr : &*row;
}

}  // namespace winnow
