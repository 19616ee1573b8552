#include "extender/config/scheduler_config/release_plugins.h"

#include <cstddef>
#include <iterator>

namespace winnow {

// Each is defined in a file plugin_args_….cc.
extern const ArgsSchema kBalancedAllocationArgs, kCapacityRatioArgs, kDefaultPreemptionArgs, kFitArgs122,
    kFitArgs128, kInterPodAffinityArgs, kInterPodAffinityArgs122, kNodeAffinityArgs, kNodeLabelArgs,
    kPodTopologySpreadArgs, kPodTopologySpreadArgsV1Beta1, kPodTopologySpreadArgsV1Beta2, kResourceScoreArgs,
    kServiceAffinityArgs, kVolumeBindingArgsWithoutShape;

namespace release_plugins {
namespace {

using enum Point;
using enum PluginKind;

constexpr PointSet kFilters(kPreFilter, kFilter);
constexpr PointSet kScores(kPreScore, kScore);
constexpr PointSet kFiltersAndScores(kPreFilter, kFilter, kPreScore, kScore);
constexpr PointSet kTaints(kFilter, kPreScore, kScore);
constexpr PointSet kBinding(kPreFilter, kFilter, kReserve, kPreBind, kScore);

constexpr PluginRow without_args(std::string_view name, PointSet points, PluginKind kind) {
  return {name, points, kind};
}
constexpr PluginRow with_args(std::string_view name, PointSet points, PluginKind kind,
                              const ArgsSchema& args) {
  return {name, points, kind, std::nullopt, &args};
}
/// Without the gate VolumeCapacityPriority, which is off by default, its score is 0.
constexpr PluginRow volume_binding() {
  PluginRow row = with_args("VolumeBinding", kBinding, kInBoth, kVolumeBindingArgsWithoutShape);
  row.scores_nothing = true;
  return row;
}

constexpr PluginRow kPlugins128[] = {
    without_args("SchedulingGates", PointSet(kPreEnqueue), kNotOfNodes),
    without_args("PrioritySort", PointSet(kQueueSort), kNotOfNodes),
    without_args("NodeUnschedulable", PointSet(kFilter), kInBoth),
    without_args("NodeName", PointSet(kFilter), kInBoth),
    without_args("TaintToleration", kTaints, kInBoth),
    with_args("NodeAffinity", kFiltersAndScores, kInBoth, kNodeAffinityArgs),
    without_args("NodePorts", kFilters, kInBoth),
    with_args("NodeResourcesFit", kFiltersAndScores, kInBoth, kFitArgs128),
    without_args("VolumeRestrictions", kFilters, kInBoth),
    without_args("EBSLimits", kFilters, kRemoved),
    without_args("GCEPDLimits", kFilters, kRemoved),
    without_args("NodeVolumeLimits", kFilters, kInBoth),
    without_args("AzureDiskLimits", kFilters, kRemoved),
    without_args("CinderLimits", kFilters, kRemoved),
    volume_binding(),
    without_args("VolumeZone", kFilters, kInBoth),
    with_args("PodTopologySpread", kFiltersAndScores, kInBoth, kPodTopologySpreadArgs),
    with_args("InterPodAffinity", kFiltersAndScores, kInBoth, kInterPodAffinityArgs),
    without_args("DynamicResources",
                 PointSet(kPreEnqueue, kPreFilter, kFilter, kPostFilter, kPreScore, kReserve, kPostBind),
                 kInKubeScheduler),
    with_args("DefaultPreemption", PointSet(kPostFilter), kNotOfNodes, kDefaultPreemptionArgs),
    with_args("NodeResourcesBalancedAllocation", kScores, kInBoth, kBalancedAllocationArgs),
    without_args("ImageLocality", PointSet(kScore), kInBoth),
    without_args("DefaultBinder", PointSet(kBind), kNotOfNodes),
    without_args("SelectorSpread", kScores, kRemoved),
};

/// The first is v1beta2's alone, and the last kOfV1Beta1 are v1beta1's alone.
constexpr PluginRow kPlugins122[] = {
    with_args("PodTopologySpread", kFiltersAndScores, kInBoth, kPodTopologySpreadArgsV1Beta2),
    without_args("PrioritySort", PointSet(kQueueSort), kNotOfNodes),
    without_args("NodeUnschedulable", PointSet(kFilter), kInBoth),
    without_args("NodeName", PointSet(kFilter), kInBoth),
    without_args("TaintToleration", kTaints, kInBoth),
    with_args("NodeAffinity", kFiltersAndScores, kInBoth, kNodeAffinityArgs),
    without_args("NodePorts", kFilters, kInBoth),
    with_args("NodeResourcesFit", PointSet(kPreFilter, kFilter, kScore), kInBoth, kFitArgs122),
    without_args("VolumeRestrictions", kFilters, kInBoth),
    without_args("EBSLimits", PointSet(kFilter), kRemoved),
    without_args("GCEPDLimits", PointSet(kFilter), kRemoved),
    without_args("NodeVolumeLimits", PointSet(kFilter), kInBoth),
    without_args("AzureDiskLimits", PointSet(kFilter), kRemoved),
    without_args("CinderLimits", PointSet(kFilter), kRemoved),
    volume_binding(),
    without_args("VolumeZone", PointSet(kFilter), kInBoth),
    with_args("InterPodAffinity", kFiltersAndScores, kInBoth, kInterPodAffinityArgs122),
    with_args("DefaultPreemption", PointSet(kPostFilter), kNotOfNodes, kDefaultPreemptionArgs),
    with_args("NodeResourcesBalancedAllocation", PointSet(kScore), kInBoth, kBalancedAllocationArgs),
    without_args("ImageLocality", PointSet(kScore), kInBoth),
    without_args("DefaultBinder", PointSet(kBind), kNotOfNodes),
    without_args("SelectorSpread", kScores, kRemoved),
    with_args("PodTopologySpread", kFiltersAndScores, kInBoth, kPodTopologySpreadArgsV1Beta1),
    with_args("ServiceAffinity", PointSet(kPreFilter, kFilter, kScore), kRemoved, kServiceAffinityArgs),
    with_args("NodeLabel", PointSet(kFilter, kScore), kRemoved, kNodeLabelArgs),
    without_args("NodePreferAvoidPods", PointSet(kScore), kRemoved),
    with_args("NodeResourcesLeastAllocated", PointSet(kScore), kRemoved, kResourceScoreArgs),
    with_args("NodeResourcesMostAllocated", PointSet(kScore), kRemoved, kResourceScoreArgs),
    with_args("RequestedToCapacityRatio", PointSet(kScore), kRemoved, kCapacityRatioArgs),
};
constexpr std::size_t kOfV1Beta1 = 7;

// Upstream: v1beta3/default_plugins.go v1.28.15.
constexpr DefaultPlugin kMultiPointOfV1Beta3[] = {
    {"PrioritySort"},        {"NodeUnschedulable"},  {"NodeName"},
    {"TaintToleration", 3},  {"NodeAffinity", 2},    {"NodePorts"},
    {"NodeResourcesFit", 1}, {"VolumeRestrictions"}, {"EBSLimits"},
    {"GCEPDLimits"},         {"NodeVolumeLimits"},   {"AzureDiskLimits"},
    {"VolumeBinding"},       {"VolumeZone"},         {"PodTopologySpread", 2},
    {"InterPodAffinity", 2}, {"DefaultPreemption"},  {"NodeResourcesBalancedAllocation", 1},
    {"ImageLocality", 1},    {"DefaultBinder"},      {"SchedulingGates"}};
constexpr DefaultSet kDefaultsOfV1Beta3[] = {{std::nullopt, kMultiPointOfV1Beta3}};

// Upstream: v1beta1/default_plugins.go and v1beta2/default_plugins.go v1.22.17.
constexpr DefaultPlugin kSorts[] = {{"PrioritySort"}};
constexpr DefaultPlugin kPreFilters[] = {{"NodeResourcesFit"},  {"NodePorts"},        {"VolumeRestrictions"},
                                         {"PodTopologySpread"}, {"InterPodAffinity"}, {"VolumeBinding"},
                                         {"NodeAffinity"}};
constexpr DefaultPlugin kFilterPlugins[] = {
    {"NodeUnschedulable"}, {"NodeName"},          {"TaintToleration"},    {"NodeAffinity"},
    {"NodePorts"},         {"NodeResourcesFit"},  {"VolumeRestrictions"}, {"EBSLimits"},
    {"GCEPDLimits"},       {"NodeVolumeLimits"},  {"AzureDiskLimits"},    {"VolumeBinding"},
    {"VolumeZone"},        {"PodTopologySpread"}, {"InterPodAffinity"}};
constexpr DefaultPlugin kPostFilters[] = {{"DefaultPreemption"}};
constexpr DefaultPlugin kPreScores[] = {
    {"InterPodAffinity"}, {"PodTopologySpread"}, {"TaintToleration"}, {"NodeAffinity"}};
constexpr DefaultPlugin kScoresOfV1Beta2[] = {{"NodeResourcesBalancedAllocation", 1},
                                              {"ImageLocality", 1},
                                              {"InterPodAffinity", 1},
                                              {"NodeResourcesFit", 1},
                                              {"NodeAffinity", 1},
                                              {"PodTopologySpread", 2},
                                              {"TaintToleration", 1}};
constexpr DefaultPlugin kScoresOfV1Beta1[] = {{"NodeResourcesBalancedAllocation", 1},
                                              {"ImageLocality", 1},
                                              {"InterPodAffinity", 1},
                                              {"NodeResourcesLeastAllocated", 1},
                                              {"NodeAffinity", 1},
                                              {"NodePreferAvoidPods", 10000},
                                              {"PodTopologySpread", 2},
                                              {"TaintToleration", 1}};
constexpr DefaultPlugin kVolumes[] = {{"VolumeBinding"}};
constexpr DefaultPlugin kBinds[] = {{"DefaultBinder"}};
constexpr DefaultSet kDefaultsOfV1Beta2[] = {
    {kQueueSort, kSorts},        {kPreFilter, kPreFilters}, {kFilter, kFilterPlugins},
    {kPostFilter, kPostFilters}, {kPreScore, kPreScores},   {kScore, kScoresOfV1Beta2},
    {kReserve, kVolumes},        {kPreBind, kVolumes},      {kBind, kBinds}};
constexpr DefaultSet kDefaultsOfV1Beta1[] = {
    {kQueueSort, kSorts},        {kPreFilter, kPreFilters}, {kFilter, kFilterPlugins},
    {kPostFilter, kPostFilters}, {kPreScore, kPreScores},   {kScore, kScoresOfV1Beta1},
    {kReserve, kVolumes},        {kPreBind, kVolumes},      {kBind, kBinds}};

}  // namespace
}  // namespace release_plugins

std::span<const PluginRow> plugins_of_v1beta3() { return release_plugins::kPlugins128; }
std::span<const DefaultSet> defaults_of_v1beta3() { return release_plugins::kDefaultsOfV1Beta3; }

std::span<const PluginRow> plugins_of_v1beta2() {
  return std::span(release_plugins::kPlugins122)
      .first(std::size(release_plugins::kPlugins122) - release_plugins::kOfV1Beta1);
}
std::span<const DefaultSet> defaults_of_v1beta2() { return release_plugins::kDefaultsOfV1Beta2; }

std::span<const PluginRow> plugins_of_v1beta1() { return std::span(release_plugins::kPlugins122).subspan(1); }
std::span<const DefaultSet> defaults_of_v1beta1() { return release_plugins::kDefaultsOfV1Beta1; }

}  // namespace winnow
