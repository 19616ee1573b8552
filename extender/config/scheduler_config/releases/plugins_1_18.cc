// The plugins of kube-scheduler v1.18.20, as v1alpha1 and v1alpha2 have them.
// Upstream: pkg/scheduler/algorithmprovider/registry.go v1.18.20, at the default feature gates.
#include "extender/config/scheduler_config/releases/plugin_parts.h"
#include "extender/config/scheduler_config/releases/release_plugins.h"

namespace winnow {

// Each is defined in plugin_args_1_18.cc.
extern const ArgsSchema kCapacityRatioArgs118, kFitArgs118, kInterPodAffinityArgs118, kNodeLabelArgs118,
    kPodTopologySpreadArgs118, kServiceAffinityArgs118;

namespace release_plugins {
namespace {
namespace v1_18 {

constexpr PluginRow renamed(PluginRow row, std::string_view rule) {
  row.rule = rule;
  return row;
}

constexpr PluginRow pre_filters_as_today(std::string_view name) {
  PluginRow row = without_args(name, PointSet(kFilter), kInBoth);
  row.pre_filters_as_today = true;
  return row;
}

constexpr PluginRow kPlugins[] = {
    without_args("PrioritySort", PointSet(kQueueSort), kNotOfNodes),
    without_args("NodeUnschedulable", PointSet(kFilter), kInBoth),
    with_args("NodeResourcesFit", kFilters, kInBoth, kFitArgs118),
    without_args("NodeName", PointSet(kFilter), kInBoth),
    without_args("NodePorts", kFilters, kInBoth),
    without_args("NodeAffinity", PointSet(kFilter, kScore), kInBoth),
    pre_filters_as_today("VolumeRestrictions"),
    without_args("TaintToleration", kTaints, kInBoth),
    without_args("EBSLimits", PointSet(kFilter), kRemoved),
    without_args("GCEPDLimits", PointSet(kFilter), kRemoved),
    without_args("NodeVolumeLimits", PointSet(kFilter), kInBoth),
    without_args("AzureDiskLimits", PointSet(kFilter), kRemoved),
    without_args("CinderLimits", PointSet(kFilter), kRemoved),
    pre_filters_as_today("VolumeBinding"),
    without_args("VolumeZone", PointSet(kFilter), kInBoth),
    with_args("InterPodAffinity", kFiltersAndScores, kInBoth, kInterPodAffinityArgs118),
    with_args("PodTopologySpread", kFiltersAndScores, kInBoth, kPodTopologySpreadArgs118),
    renamed(without_args("DefaultPodTopologySpread", kScores, kRemoved), "SelectorSpread"),
    without_args("NodeResourcesBalancedAllocation", PointSet(kScore), kInBoth),
    without_args("ImageLocality", PointSet(kScore), kInBoth),
    without_args("NodeResourcesLeastAllocated", PointSet(kScore), kRemoved),
    without_args("NodeResourcesMostAllocated", PointSet(kScore), kRemoved),
    without_args("NodePreferAvoidPods", PointSet(kScore), kRemoved),
    without_args("NodeResourceLimits", kScores, kRemoved),
    with_args("RequestedToCapacityRatio", PointSet(kScore), kRemoved, kCapacityRatioArgs118),
    with_args("NodeLabel", PointSet(kFilter, kScore), kRemoved, kNodeLabelArgs118),
    with_args("ServiceAffinity", PointSet(kPreFilter, kFilter, kScore), kRemoved, kServiceAffinityArgs118),
    without_args("DefaultBinder", PointSet(kBind), kNotOfNodes),
};

constexpr DefaultPlugin kSorts[] = {{"PrioritySort"}};
constexpr DefaultPlugin kPreFilters[] = {
    {"NodeResourcesFit"}, {"NodePorts"}, {"InterPodAffinity"}, {"PodTopologySpread"}};
constexpr DefaultPlugin kFilterPlugins[] = {
    {"NodeUnschedulable"}, {"NodeResourcesFit"},   {"NodeName"},         {"NodePorts"},
    {"NodeAffinity"},      {"VolumeRestrictions"}, {"TaintToleration"},  {"EBSLimits"},
    {"GCEPDLimits"},       {"NodeVolumeLimits"},   {"AzureDiskLimits"},  {"VolumeBinding"},
    {"VolumeZone"},        {"InterPodAffinity"},   {"PodTopologySpread"}};
constexpr DefaultPlugin kPreScores[] = {
    {"InterPodAffinity"}, {"DefaultPodTopologySpread"}, {"TaintToleration"}, {"PodTopologySpread"}};
constexpr DefaultPlugin kScorePlugins[] = {
    {"NodeResourcesBalancedAllocation", 1}, {"ImageLocality", 1},   {"InterPodAffinity", 1},
    {"NodeResourcesLeastAllocated", 1},     {"NodeAffinity", 1},    {"NodePreferAvoidPods", 10000},
    {"DefaultPodTopologySpread", 1},        {"TaintToleration", 1}, {"PodTopologySpread", 1}};
constexpr DefaultPlugin kAutoscalerScores[] = {
    {"NodeResourcesBalancedAllocation", 1}, {"ImageLocality", 1},   {"InterPodAffinity", 1},
    {"NodeResourcesMostAllocated", 1},      {"NodeAffinity", 1},    {"NodePreferAvoidPods", 10000},
    {"DefaultPodTopologySpread", 1},        {"TaintToleration", 1}, {"PodTopologySpread", 1}};
constexpr DefaultPlugin kBinds[] = {{"DefaultBinder"}};
constexpr DefaultSet kDefaults[] = {{kQueueSort, kSorts},      {kPreFilter, kPreFilters},
                                    {kFilter, kFilterPlugins}, {kPreScore, kPreScores},
                                    {kScore, kScorePlugins},   {kBind, kBinds}};
constexpr DefaultSet kAutoscalerDefaults[] = {{kQueueSort, kSorts},        {kPreFilter, kPreFilters},
                                              {kFilter, kFilterPlugins},   {kPreScore, kPreScores},
                                              {kScore, kAutoscalerScores}, {kBind, kBinds}};

}  // namespace v1_18
}  // namespace
}  // namespace release_plugins

std::span<const PluginRow> plugins_of_v1alpha() { return release_plugins::v1_18::kPlugins; }
std::span<const DefaultSet> defaults_of_v1alpha() { return release_plugins::v1_18::kDefaults; }
std::span<const DefaultSet> autoscaler_defaults_of_v1alpha() {
  return release_plugins::v1_18::kAutoscalerDefaults;
}

}  // namespace winnow
