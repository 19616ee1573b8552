// The plugins of kube-scheduler v1.28.15, as v1beta3 has them.
#include "extender/config/scheduler_config/releases/plugin_parts.h"
#include "extender/config/scheduler_config/releases/release_plugins.h"

namespace winnow {

// Each is defined in a file plugin_args_….cc.
extern const ArgsSchema kBalancedAllocationArgs, kDefaultPreemptionArgs, kFitArgs128, kInterPodAffinityArgs,
    kNodeAffinityArgs, kPodTopologySpreadArgs, kVolumeBindingArgsWithoutShape;

namespace release_plugins {
namespace {
namespace v1_28 {

constexpr PluginRow kPlugins[] = {
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
    volume_binding(kVolumeBindingArgsWithoutShape),
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

// Upstream: v1beta3/default_plugins.go v1.28.15.
constexpr DefaultPlugin kMultiPoint[] = {
    {"PrioritySort"},        {"NodeUnschedulable"},  {"NodeName"},
    {"TaintToleration", 3},  {"NodeAffinity", 2},    {"NodePorts"},
    {"NodeResourcesFit", 1}, {"VolumeRestrictions"}, {"EBSLimits"},
    {"GCEPDLimits"},         {"NodeVolumeLimits"},   {"AzureDiskLimits"},
    {"VolumeBinding"},       {"VolumeZone"},         {"PodTopologySpread", 2},
    {"InterPodAffinity", 2}, {"DefaultPreemption"},  {"NodeResourcesBalancedAllocation", 1},
    {"ImageLocality", 1},    {"DefaultBinder"},      {"SchedulingGates"}};
constexpr DefaultSet kDefaults[] = {{std::nullopt, kMultiPoint}};

}  // namespace v1_28
}  // namespace
}  // namespace release_plugins

std::span<const PluginRow> plugins_of_v1beta3() { return release_plugins::v1_28::kPlugins; }
std::span<const DefaultSet> defaults_of_v1beta3() { return release_plugins::v1_28::kDefaults; }

}  // namespace winnow
