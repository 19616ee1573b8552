// The plugins of kube-scheduler v1.18.20 (v1alpha1, v1alpha2), v1.22.17, v1.27.16 and v1.28.15, one by one.
// Upstream of the first: pkg/scheduler/algorithmprovider/registry.go v1.18.20, at the default feature gates.
#include "extender/config/release_plugins.h"

#include "extender/config/plugin_table.h"

namespace winnow {

// Each is defined in plugin_args_removed.cc.
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

// The plugins of kube-scheduler v1.22.17, as v1beta1 has them.
// Upstream: pkg/scheduler/apis/config/v1beta1/default_plugins.go v1.22.17.

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

// The plugins of kube-scheduler v1.27.16, as v1beta2 has them.
// Upstream: pkg/scheduler/apis/config/v1beta2/default_plugins.go v1.27.16.

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

// The plugins of kube-scheduler v1.28.15, as v1beta3 has them.

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
