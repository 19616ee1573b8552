// The plugins of kube-scheduler v1.22.17, as v1beta1 has them.
// Upstream: pkg/scheduler/apis/config/v1beta1/default_plugins.go v1.22.17.
#include "extender/config/scheduler_config/releases/plugin_parts.h"
#include "extender/config/scheduler_config/releases/release_plugins.h"

namespace winnow {

// Each is defined in a file plugin_args_….cc.
extern const ArgsSchema kBalancedAllocationArgs, kCapacityRatioArgs, kDefaultPreemptionArgs, kFitArgs122,
    kInterPodAffinityArgs122, kNodeAffinityArgs, kNodeLabelArgs, kPodTopologySpreadArgsV1Beta1,
    kResourceScoreArgs, kServiceAffinityArgs, kVolumeBindingArgsWithoutShape;

namespace release_plugins {
namespace {
namespace v1_22 {

constexpr PluginRow kPlugins[] = {
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
    volume_binding(kVolumeBindingArgsWithoutShape),
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
constexpr DefaultPlugin kScorePlugins[] = {{"NodeResourcesBalancedAllocation", 1},
                                           {"ImageLocality", 1},
                                           {"InterPodAffinity", 1},
                                           {"NodeResourcesLeastAllocated", 1},
                                           {"NodeAffinity", 1},
                                           {"NodePreferAvoidPods", 10000},
                                           {"PodTopologySpread", 2},
                                           {"TaintToleration", 1}};
constexpr DefaultPlugin kVolumes[] = {{"VolumeBinding"}};
constexpr DefaultPlugin kBinds[] = {{"DefaultBinder"}};
constexpr DefaultSet kDefaults[] = {
    {kQueueSort, kSorts},        {kPreFilter, kPreFilters}, {kFilter, kFilterPlugins},
    {kPostFilter, kPostFilters}, {kPreScore, kPreScores},   {kScore, kScorePlugins},
    {kReserve, kVolumes},        {kPreBind, kVolumes},      {kBind, kBinds}};

}  // namespace v1_22
}  // namespace
}  // namespace release_plugins

std::span<const PluginRow> plugins_of_v1beta1() { return release_plugins::v1_22::kPlugins; }
std::span<const DefaultSet> defaults_of_v1beta1() { return release_plugins::v1_22::kDefaults; }

}  // namespace winnow
