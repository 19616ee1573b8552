#include "extender/config/successors.h"

#include <algorithm>
#include <iterator>

namespace winnow {
namespace {

struct Successor {
  RuleKind kind;
  std::string_view policy_name;
  std::string_view plugin;  ///< Its name, and how it is set.
};

constexpr RuleKind kFilters = RuleKind::kPredicate, kScores = RuleKind::kPriority;
constexpr std::string_view kSystem = "PodTopologySpread with defaultingType System";

/// The first line of a plugin is what a Policy names in its place.
/// Upstream: pkg/scheduler/framework/plugins/legacy_registry.go v1.22.17. CheckVolumeBinding took over
/// NoVolumeNodeConflict in v1.10.
constexpr Successor kSuccessors[] = {
    {kFilters, "PodFitsResources", "NodeResourcesFit"},
    {kFilters, "HostName", "NodeName"},
    {kFilters, "PodFitsHostPorts", "NodePorts"},
    {kFilters, "PodFitsPorts", "NodePorts"},
    {kFilters, "MatchNodeSelector", "NodeAffinity"},
    {kFilters, "GeneralPredicates", "NodeResourcesFit, NodeName, NodePorts and NodeAffinity"},
    {kFilters, "CheckNodeUnschedulable", "NodeUnschedulable"},
    {kFilters, "PodToleratesNodeTaints", "TaintToleration"},
    {kFilters, "CheckNodeCondition", "TaintToleration"},
    {kFilters, "CheckNodeMemoryPressure", "TaintToleration"},
    {kFilters, "CheckNodeDiskPressure", "TaintToleration"},
    {kFilters, "CheckNodePIDPressure", "TaintToleration"},
    {kFilters, "NoDiskConflict", "VolumeRestrictions"},
    {kFilters, "MaxCSIVolumeCountPred", "NodeVolumeLimits"},
    {kFilters, "MaxEBSVolumeCount", "NodeVolumeLimits"},
    {kFilters, "MaxGCEPDVolumeCount", "NodeVolumeLimits"},
    {kFilters, "MaxAzureDiskVolumeCount", "NodeVolumeLimits"},
    {kFilters, "MaxCinderVolumeCount", "NodeVolumeLimits"},
    {kFilters, "CheckVolumeBinding", "VolumeBinding"},
    {kFilters, "NoVolumeNodeConflict", "VolumeBinding"},
    {kFilters, "NoVolumeZoneConflict", "VolumeZone"},
    {kFilters, "MatchInterPodAffinity", "InterPodAffinity"},
    {kFilters, "EvenPodsSpread", "PodTopologySpread"},
    {kScores, "LeastRequestedPriority", "NodeResourcesFit with scoringStrategy.type LeastAllocated"},
    {kScores, "MostRequestedPriority", "NodeResourcesFit with scoringStrategy.type MostAllocated"},
    {kScores, "RequestedToCapacityRatioPriority",
     "NodeResourcesFit with scoringStrategy.type RequestedToCapacityRatio"},
    {kScores, "LeastRequestedPriority", "NodeResourcesLeastAllocated"},
    {kScores, "MostRequestedPriority", "NodeResourcesMostAllocated"},
    {kScores, "BalancedResourceAllocation", "NodeResourcesBalancedAllocation"},
    {kScores, "EvenPodsSpreadPriority", "PodTopologySpread"},
    {kScores, "SelectorSpreadPriority", kSystem},
    {kScores, "ServiceSpreadingPriority", kSystem},
    {kScores, "InterPodAffinityPriority", "InterPodAffinity"},
    {kScores, "NodeAffinityPriority", "NodeAffinity"},
    {kScores, "TaintTolerationPriority", "TaintToleration"},
    {kScores, "ImageLocalityPriority", "ImageLocality"},
    {kScores, "NodePreferAvoidPodsPriority", "TaintToleration"},
};

std::string_view first_word(std::string_view text) { return text.substr(0, text.find_first_of(" ,")); }

}  // namespace

std::string_view plugin_in_place_of(std::string_view policy_name) {
  const auto found = std::ranges::find(kSuccessors, policy_name, &Successor::policy_name);
  return found == std::end(kSuccessors) ? std::string_view() : found->plugin;
}

std::string_view policy_rule_in_place_of(RuleKind kind, std::string_view name) {
  if (kind == kFilters && name == "NoVolumeNodeConflict") return "CheckVolumeBinding";
  const auto found = std::ranges::find_if(
      kSuccessors, [&](const Successor& one) { return one.kind == kind && first_word(one.plugin) == name; });
  return found == std::end(kSuccessors) ? std::string_view() : found->policy_name;
}

}  // namespace winnow
