// The plugins of kube-scheduler v1.27.16, as v1beta2 has them.
// Upstream: pkg/scheduler/apis/config/v1beta2/default_plugins.go v1.27.16.
#include "extender/config/scheduler_config/releases/plugin_parts.h"
#include "extender/config/scheduler_config/releases/release_plugins.h"

namespace winnow {

// Each is defined in a file plugin_args_….cc.
extern const ArgsSchema kBalancedAllocationArgs, kDefaultPreemptionArgs, kFitArgs128, kInterPodAffinityArgs,
    kNodeAffinityArgs, kPodTopologySpreadArgs, kVolumeBindingArgsWithoutShape;

namespace release_plugins {
namespace {
namespace v1_27 {

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
    without_args("EBSLimits", PointSet(kFilter), kRemoved),
    without_args("GCEPDLimits", PointSet(kFilter), kRemoved),
    without_args("NodeVolumeLimits", PointSet(kFilter), kInBoth),
    without_args("AzureDiskLimits", PointSet(kFilter), kRemoved),
    without_args("CinderLimits", PointSet(kFilter), kRemoved),
    volume_binding(kVolumeBindingArgsWithoutShape),
    without_args("VolumeZone", kFilters, kInBoth),
    with_args("PodTopologySpread", kFiltersAndScores, kInBoth, kPodTopologySpreadArgs),
    with_args("InterPodAffinity", kFiltersAndScores, kInBoth, kInterPodAffinityArgs),
    without_args("DynamicResources",
                 PointSet(kPreFilter, kFilter, kPostFilter, kPreScore, kReserve, kPostBind),
                 kInKubeScheduler),
    with_args("DefaultPreemption", PointSet(kPostFilter), kNotOfNodes, kDefaultPreemptionArgs),
    with_args("NodeResourcesBalancedAllocation", kScores, kInBoth, kBalancedAllocationArgs),
    without_args("ImageLocality", PointSet(kScore), kInBoth),
    without_args("DefaultBinder", PointSet(kBind), kNotOfNodes),
    without_args("SelectorSpread", kScores, kRemoved),
};

constexpr DefaultPlugin kGates[] = {{"SchedulingGates"}};
constexpr DefaultPlugin kSorts[] = {{"PrioritySort"}};
constexpr DefaultPlugin kPreFilters[] = {{"NodeResourcesFit"},  {"NodePorts"},        {"VolumeRestrictions"},
                                         {"PodTopologySpread"}, {"InterPodAffinity"}, {"VolumeBinding"},
                                         {"VolumeZone"},        {"NodeAffinity"}};
constexpr DefaultPlugin kFilterPlugins[] = {
    {"NodeUnschedulable"}, {"NodeName"},          {"TaintToleration"},    {"NodeAffinity"},
    {"NodePorts"},         {"NodeResourcesFit"},  {"VolumeRestrictions"}, {"EBSLimits"},
    {"GCEPDLimits"},       {"NodeVolumeLimits"},  {"AzureDiskLimits"},    {"VolumeBinding"},
    {"VolumeZone"},        {"PodTopologySpread"}, {"InterPodAffinity"}};
constexpr DefaultPlugin kPostFilters[] = {{"DefaultPreemption"}};
constexpr DefaultPlugin kPreScores[] = {{"InterPodAffinity"}, {"PodTopologySpread"},
                                        {"TaintToleration"},  {"NodeAffinity"},
                                        {"NodeResourcesFit"}, {"NodeResourcesBalancedAllocation"}};
constexpr DefaultPlugin kScorePlugins[] = {{"NodeResourcesBalancedAllocation", 1},
                                           {"ImageLocality", 1},
                                           {"InterPodAffinity", 1},
                                           {"NodeResourcesFit", 1},
                                           {"NodeAffinity", 1},
                                           {"PodTopologySpread", 2},
                                           {"TaintToleration", 1}};
constexpr DefaultPlugin kVolumes[] = {{"VolumeBinding"}};
constexpr DefaultPlugin kBinds[] = {{"DefaultBinder"}};
constexpr DefaultSet kDefaults[] = {{kPreEnqueue, kGates},       {kQueueSort, kSorts},
                                    {kPreFilter, kPreFilters},   {kFilter, kFilterPlugins},
                                    {kPostFilter, kPostFilters}, {kPreScore, kPreScores},
                                    {kScore, kScorePlugins},     {kReserve, kVolumes},
                                    {kPreBind, kVolumes},        {kBind, kBinds}};

}  // namespace v1_27
}  // namespace
}  // namespace release_plugins

std::span<const PluginRow> plugins_of_v1beta2() { return release_plugins::v1_27::kPlugins; }
std::span<const DefaultSet> defaults_of_v1beta2() { return release_plugins::v1_27::kDefaults; }

}  // namespace winnow
