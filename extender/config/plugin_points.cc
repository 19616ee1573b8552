#include "extender/config/plugin_points.h"

#include <algorithm>

namespace winnow {
namespace {

using enum Point;

constexpr PointName kNames[kPoints] = {
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
};

// Behind the points: whether it takes arguments, and whether it stays in kube-scheduler.
constexpr PluginRow kPlugins[] = {
    {"DefaultBinder", PointSet(kBind)},
    {"DefaultPreemption", PointSet(kPreEnqueue, kPostFilter, kPodGroupPostFilter), true},
    {"DeferredPodScheduling", PointSet(kPreFilter, kFilter, kPermit), false, true},
    {"DynamicResources",
     PointSet(kPreEnqueue, kPreFilter, kFilter, kPostFilter, kPodGroupPostFilter, kScore, kReserve, kPreBind),
     true, true},
    {"GangScheduling", PointSet(kPreEnqueue, kPermit)},
    {"ImageLocality", PointSet(kScore)},
    {"InterPodAffinity", PointSet(kPreFilter, kFilter, kPreScore, kScore), true},
    {"NodeAffinity", PointSet(kPreFilter, kFilter, kPreScore, kScore), true},
    {"NodeDeclaredFeatures", PointSet(kPreFilter, kFilter)},
    {"NodeName", PointSet(kPreFilter, kFilter)},
    {"NodePorts", PointSet(kPreFilter, kFilter)},
    {"NodeResourcesBalancedAllocation", PointSet(kPreScore, kScore), true},
    {"NodeResourcesFit", PointSet(kPreFilter, kFilter, kPreScore, kScore, kPlacementScore), true},
    {"NodeUnschedulable", PointSet(kPreFilter, kFilter)},
    {"NodeVolumeLimits", PointSet(kPreFilter, kFilter)},
    {"PodGroupPodsCount", PointSet(kPlacementScore)},
    {"PodTopologySpread", PointSet(kPreFilter, kFilter, kPreScore, kScore), true},
    {"PrioritySort", PointSet(kQueueSort)},
    {"SchedulingGates", PointSet(kPreEnqueue)},
    {"TaintToleration", PointSet(kPreFilter, kFilter, kPreScore, kScore)},
    {"TopologyPlacementGenerator", PointSet(kPlacementGenerate)},
    {"VolumeBinding", PointSet(kPreFilter, kFilter, kReserve, kPreBind, kPreScore, kScore), true},
    {"VolumeRestrictions", PointSet(kPreFilter, kFilter)},
    {"VolumeZone", PointSet(kPreFilter, kFilter)},
};

constexpr DefaultPlugin kDefaults[] = {
    {"SchedulingGates"},
    {"PrioritySort"},
    {"NodeName"},
    {"NodeUnschedulable"},
    {"TaintToleration", 3},
    {"NodeAffinity", 2},
    {"NodePorts"},
    {"NodeResourcesFit", 1},
    {"VolumeRestrictions"},
    {"NodeVolumeLimits"},
    {"VolumeBinding"},
    {"VolumeZone"},
    {"PodTopologySpread", 2},
    {"InterPodAffinity", 2},
    {"DynamicResources", 2},
    {"DefaultPreemption"},
    {"NodeResourcesBalancedAllocation", 1},
    {"ImageLocality", 1},
    {"DefaultBinder"},
    {"NodeDeclaredFeatures"},
};

struct Removed {
  std::string_view name;
  std::string_view says;
  bool invalid = false;  ///< See is_invalid_plugin.
};
constexpr std::string_view kLimits = "was removed, NodeVolumeLimits limits these volumes too";
constexpr Removed kRemoved[] = {
    {"AzureDiskLimits", kLimits, true},
    {"CinderLimits", kLimits, true},
    {"EBSLimits", kLimits, true},
    {"GCEPDLimits", kLimits, true},
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

}  // namespace

const PointName& name_of(Point point) { return kNames[static_cast<std::size_t>(point)]; }

std::span<const PluginRow> in_tree_plugins() { return kPlugins; }

const PluginRow* find_in_tree(std::string_view name) {
  const auto row = std::ranges::find(kPlugins, name, &PluginRow::name);
  return row == std::end(kPlugins) ? nullptr : &*row;
}

std::span<const DefaultPlugin> default_plugins() { return kDefaults; }

std::string_view removed_plugin(std::string_view name) {
  const Removed* const removed = find_removed(name);
  return removed == nullptr ? std::string_view() : removed->says;
}

bool is_invalid_plugin(std::string_view name) {
  const Removed* const removed = find_removed(name);
  return removed != nullptr && removed->invalid;
}

}  // namespace winnow
