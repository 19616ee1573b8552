#include "extender/config/scheduler_config/releases/config_release.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "extender/config/scheduler_config/args/config_version.h"
#include "extender/config/scheduler_config/releases/config_fields.h"

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

constexpr OfV118 kOfV1Alpha1 = {
    .plugins_read_args = true, .one_profile = true, .post_filter_is_pre_score = true};

/// v1.18.20.
ConfigRelease alpha(std::string_view version, const FieldType& fields, OfV118 of_118,
                    std::span<const DefaultSet> defaults) {
  return {.version = version,
          .release = "1.18",
          .fields = fields,
          .plugins = plugins_of_v1alpha(),
          .defaults = defaults,
          .merging = {.replaces = false, .keeps_disabled = false},
          .settings = {.lease_may_equal_renewal = true, .any_lock = true, .addresses = BindAddresses::kAny},
          .of_118 = of_118};
}

/// Newest first. Upstream: default_plugins.go, defaults.go and validation.go below pkg/scheduler/apis/config.
std::span<const ConfigRelease> releases() {
  static const std::array<ConfigRelease, 6> kReleases = {{
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
      {.version = "v1beta2",  // v1.27.16
       .release = "1.27",
       .fields = kConfigV1Beta2,
       .plugins = plugins_of_v1beta2(),
       .defaults = defaults_of_v1beta2(),
       .merging = {.keeps_disabled = false, .drops_pre_enqueue = true, .drops_multi_point = true},
       .settings = {.addresses = BindAddresses::kZeroPort}},
      {.version = "v1beta1",  // v1.22.17
       .release = "1.22",
       .fields = kConfigV1Beta1,
       .plugins = plugins_of_v1beta1(),
       .defaults = defaults_of_v1beta1(),
       .merging = {.replaces = false, .keeps_disabled = false},
       .settings = {.lease_may_equal_renewal = true, .any_lock = true, .addresses = BindAddresses::kAny},
       .not_beside_fit = kNotBesideFit},
      alpha("v1alpha2", kConfigV1Alpha2, {.plugins_read_args = true}, defaults_of_v1alpha()),
      alpha("v1alpha1", kConfigV1Alpha1, kOfV1Alpha1, defaults_of_v1alpha()),
  }};
  return kReleases;
}

}  // namespace

const ConfigRelease* find_release(std::string_view version) {
  const auto found = std::ranges::find(releases(), version, &ConfigRelease::version);
  return found == releases().end() ? nullptr : &*found;
}

const ConfigRelease& today_release() { return releases().front(); }

const ConfigRelease* find_provider(std::string_view name) {
  static const ConfigRelease kAutoscaler =
      alpha("v1alpha1", kConfigV1Alpha1, kOfV1Alpha1, autoscaler_defaults_of_v1alpha());
  if (name == "ClusterAutoscalerProvider") return &kAutoscaler;
  return name == "DefaultProvider" ? find_release("v1alpha1") : nullptr;
}

std::string_view field_of(const ConfigRelease& release, Point point) {
  if (release.of_118.post_filter_is_pre_score) {
    if (point == Point::kPreScore) return name_of(Point::kPostFilter).field;
    if (point == Point::kPostFilter) return {};
  }
  return name_of(point).field;
}

bool is_plugin_of_any_release(std::string_view name) {
  return std::ranges::any_of(releases(), [&](const ConfigRelease& release) {
    const PluginRow* const plugin = find_plugin(release, name);
    return plugin != nullptr && plugin->kind != PluginKind::kInWinnow;
  });
}

const PluginRow* find_plugin(const ConfigRelease& release, std::string_view name) {
  const auto row = std::ranges::find(release.plugins, name, &PluginRow::name);
  return row == release.plugins.end() ? nullptr : &*row;
}

}  // namespace winnow
