#include "extender/config/plugin_table.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace winnow {
namespace {

constexpr PointName kPointNames[] = {
    {"preFilter", "PreFilterPlugin"},
    {"filter", "FilterPlugin"},
    {"postFilter", "PostFilterPlugin"},
    {"reserve", "ReservePlugin"},
    {"preScore", "PreScorePlugin"},
    {"score", "ScorePlugin"},
    {"preBind", "PreBindPlugin"},
    {"bind", "BindPlugin"},
    {"postBind", "PostBindPlugin"},
    {"permit", "PermitPlugin"},
    {"preEnqueue", "PreEnqueuePlugin"},
    {"queueSort", "QueueSortPlugin"},
    {"placementGenerate", "PlacementGeneratePlugin"},
    {"placementScore", "PlacementScorePlugin"},
    {"podGroupPostFilter", "PodGroupPostFilterPlugin"},
    {"unreserve", "UnreservePlugin"},
};
static_assert(std::size(kPointNames) == kPoints);

}  // namespace

const PointName& name_of(Point point) { return kPointNames[static_cast<std::size_t>(point)]; }

// Each is defined in a file plugin_args_….cc.
extern const ArgsSchema kBalancedAllocationArgs, kDefaultPreemptionArgs, kDynamicResourcesArgs,
    kInterPodAffinityArgs, kNodeAffinityArgs, kNodeResourcesFitArgs, kPodTopologySpreadArgs,
    kVolumeBindingArgs;
extern const ArgsSchema kCapacityRatioArgs, kNodeLabelArgs, kResourceScoreArgs, kServiceAffinityArgs;

namespace {

using enum Point;
using enum PluginKind;

constexpr PointSet kFilters(kPreFilter, kFilter);
constexpr PointSet kScores(kPreScore, kScore);
constexpr PointSet kFiltersAndScores(kPreFilter, kFilter, kPreScore, kScore);

/// In the order in which multiPoint enables them. Plugins that are off by default follow.
constexpr PluginRow kPlugins[] = {
    {"SchedulingGates", PointSet(kPreEnqueue), kNotOfNodes, 0},
    {"PrioritySort", PointSet(kQueueSort), kNotOfNodes, 0},
    {"NodeName", kFilters, kInBoth, 0},
    {"NodeUnschedulable", kFilters, kInBoth, 0},
    {"TaintToleration", kFiltersAndScores, kInBoth, 3},
    {"NodeAffinity", kFiltersAndScores, kInBoth, 2, &kNodeAffinityArgs},
    {"NodePorts", kFilters, kInBoth, 0},
    {"NodeResourcesFit", PointSet(kPreFilter, kFilter, kPreScore, kScore, kPlacementScore), kInBoth, 1,
     &kNodeResourcesFitArgs},
    {"VolumeRestrictions", kFilters, kInBoth, 0},
    {"NodeVolumeLimits", kFilters, kInBoth, 0},
    {"VolumeBinding", PointSet(kPreFilter, kFilter, kReserve, kPreBind, kPreScore, kScore), kInBoth, 0,
     &kVolumeBindingArgs},
    {"VolumeZone", kFilters, kInBoth, 0},
    {"PodTopologySpread", kFiltersAndScores, kInBoth, 2, &kPodTopologySpreadArgs},
    {"InterPodAffinity", kFiltersAndScores, kInBoth, 2, &kInterPodAffinityArgs},
    {"DynamicResources",
     PointSet(kPreEnqueue, kPreFilter, kFilter, kPostFilter, kPodGroupPostFilter, kScore, kReserve, kPreBind),
     kInKubeScheduler, 2, &kDynamicResourcesArgs},
    {"DefaultPreemption", PointSet(kPreEnqueue, kPostFilter, kPodGroupPostFilter), kNotOfNodes, 0,
     &kDefaultPreemptionArgs},
    {"NodeResourcesBalancedAllocation", kScores, kInBoth, 1, &kBalancedAllocationArgs},
    {"ImageLocality", PointSet(kScore), kInBoth, 1},
    {"DefaultBinder", PointSet(kBind), kNotOfNodes, 0},
    {"NodeDeclaredFeatures", kFilters, kInBoth, 0},
    {"DeferredPodScheduling", PointSet(kPreFilter, kFilter, kPermit), kInKubeScheduler},
    {"GangScheduling", PointSet(kPreEnqueue, kPermit), kNotOfNodes},
    {"PodGroupPodsCount", PointSet(kPlacementScore), kNotOfNodes},
    {"TopologyPlacementGenerator", PointSet(kPlacementGenerate), kNotOfNodes},
    {"SelectorSpread", kScores, kRemoved},
    {"ServiceAffinity", PointSet(kPreFilter, kFilter, kScore), kRemoved, std::nullopt, &kServiceAffinityArgs},
    {"NodeLabel", PointSet(kFilter, kScore), kRemoved, std::nullopt, &kNodeLabelArgs},
    {"NodePreferAvoidPods", PointSet(kScore), kRemoved, std::nullopt, nullptr, 10000},
    {"NodeResourcesLeastAllocated", PointSet(kScore), kRemoved, std::nullopt, &kResourceScoreArgs},
    {"NodeResourcesMostAllocated", PointSet(kScore), kRemoved, std::nullopt, &kResourceScoreArgs},
    {"RequestedToCapacityRatio", PointSet(kScore), kRemoved, std::nullopt, &kCapacityRatioArgs},
    {"NodeResourceLimits", kScores, kRemoved},
    {"EBSLimits", PointSet(kFilter), kRemoved},
    {"GCEPDLimits", PointSet(kFilter), kRemoved},
    {"AzureDiskLimits", PointSet(kFilter), kRemoved},
    {"CinderLimits", PointSet(kFilter), kRemoved},
};

constexpr auto kByName = [] {
  auto rows = std::to_array(kPlugins);
  std::ranges::sort(rows, {}, &PluginRow::name);
  return rows;
}();

}  // namespace

std::span<const PluginRow> plugin_rows() { return kByName; }

const PluginRow* find_plugin_row(std::string_view name) {
  const auto row = std::ranges::find(kByName, name, &PluginRow::name);
  return row == kByName.end() ? nullptr : &*row;
}

std::vector<const PluginRow*> default_plugins() {
  std::vector<const PluginRow*> rows;
  for (const PluginRow& row : kPlugins)
    if (row.default_weight) rows.push_back(&row);
  return rows;
}

}  // namespace winnow
