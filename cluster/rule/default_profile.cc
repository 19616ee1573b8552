#include "cluster/rule/default_profile.h"

#include <algorithm>
#include <iterator>

namespace winnow {
namespace {

using enum Point;
using Names = std::string_view;

namespace v1_18 {

constexpr Names kSorts[] = {"PrioritySort"};
constexpr Names kPreFilters[] = {"NodeResourcesFit", "NodePorts", "InterPodAffinity", "PodTopologySpread"};
constexpr Names kFilterPlugins[] = {
    "NodeUnschedulable",  "NodeResourcesFit", "NodeName",   "NodePorts",        "NodeAffinity",
    "VolumeRestrictions", "TaintToleration",  "EBSLimits",  "GCEPDLimits",      "NodeVolumeLimits",
    "AzureDiskLimits",    "VolumeBinding",    "VolumeZone", "InterPodAffinity", "PodTopologySpread"};
constexpr Names kPreScores[] = {"InterPodAffinity", "DefaultPodTopologySpread", "TaintToleration",
                                "PodTopologySpread"};
constexpr Names kScorePlugins[] = {
    "NodeResourcesBalancedAllocation", "ImageLocality",   "InterPodAffinity",
    "NodeResourcesLeastAllocated",     "NodeAffinity",    "NodePreferAvoidPods",
    "DefaultPodTopologySpread",        "TaintToleration", "PodTopologySpread"};
constexpr Names kAutoscalerScores[] = {
    "NodeResourcesBalancedAllocation", "ImageLocality",   "InterPodAffinity",
    "NodeResourcesMostAllocated",      "NodeAffinity",    "NodePreferAvoidPods",
    "DefaultPodTopologySpread",        "TaintToleration", "PodTopologySpread"};
constexpr Names kBinds[] = {"DefaultBinder"};
constexpr DefaultSet kDefaults[] = {{kQueueSort, kSorts},      {kPreFilter, kPreFilters},
                                    {kFilter, kFilterPlugins}, {kPreScore, kPreScores},
                                    {kScore, kScorePlugins},   {kBind, kBinds}};
constexpr DefaultSet kAutoscalerDefaults[] = {{kQueueSort, kSorts},        {kPreFilter, kPreFilters},
                                              {kFilter, kFilterPlugins},   {kPreScore, kPreScores},
                                              {kScore, kAutoscalerScores}, {kBind, kBinds}};

}  // namespace v1_18

// Upstream: pkg/scheduler/apis/config/v1beta1/default_plugins.go v1.22.17.
namespace v1_22 {

constexpr Names kSorts[] = {"PrioritySort"};
constexpr Names kPreFilters[] = {"NodeResourcesFit",  "NodePorts",        "VolumeRestrictions",
                                 "PodTopologySpread", "InterPodAffinity", "VolumeBinding",
                                 "NodeAffinity"};
constexpr Names kFilterPlugins[] = {
    "NodeUnschedulable", "NodeName",           "TaintToleration", "NodeAffinity",      "NodePorts",
    "NodeResourcesFit",  "VolumeRestrictions", "EBSLimits",       "GCEPDLimits",       "NodeVolumeLimits",
    "AzureDiskLimits",   "VolumeBinding",      "VolumeZone",      "PodTopologySpread", "InterPodAffinity"};
constexpr Names kPostFilters[] = {"DefaultPreemption"};
constexpr Names kPreScores[] = {"InterPodAffinity", "PodTopologySpread", "TaintToleration", "NodeAffinity"};
constexpr Names kScorePlugins[] = {"NodeResourcesBalancedAllocation",
                                   "ImageLocality",
                                   "InterPodAffinity",
                                   "NodeResourcesLeastAllocated",
                                   "NodeAffinity",
                                   "NodePreferAvoidPods",
                                   "PodTopologySpread",
                                   "TaintToleration"};
constexpr Names kVolumes[] = {"VolumeBinding"};
constexpr Names kBinds[] = {"DefaultBinder"};
constexpr DefaultSet kDefaults[] = {
    {kQueueSort, kSorts},        {kPreFilter, kPreFilters}, {kFilter, kFilterPlugins},
    {kPostFilter, kPostFilters}, {kPreScore, kPreScores},   {kScore, kScorePlugins},
    {kReserve, kVolumes},        {kPreBind, kVolumes},      {kBind, kBinds}};

}  // namespace v1_22

// Upstream: pkg/scheduler/apis/config/v1beta2/default_plugins.go v1.27.16.
namespace v1_27 {

constexpr Names kGates[] = {"SchedulingGates"};
constexpr Names kSorts[] = {"PrioritySort"};
constexpr Names kPreFilters[] = {"NodeResourcesFit",  "NodePorts",        "VolumeRestrictions",
                                 "PodTopologySpread", "InterPodAffinity", "VolumeBinding",
                                 "VolumeZone",        "NodeAffinity"};
constexpr Names kFilterPlugins[] = {
    "NodeUnschedulable", "NodeName",           "TaintToleration", "NodeAffinity",      "NodePorts",
    "NodeResourcesFit",  "VolumeRestrictions", "EBSLimits",       "GCEPDLimits",       "NodeVolumeLimits",
    "AzureDiskLimits",   "VolumeBinding",      "VolumeZone",      "PodTopologySpread", "InterPodAffinity"};
constexpr Names kPostFilters[] = {"DefaultPreemption"};
constexpr Names kPreScores[] = {"InterPodAffinity", "PodTopologySpread", "TaintToleration",
                                "NodeAffinity",     "NodeResourcesFit",  "NodeResourcesBalancedAllocation"};
constexpr Names kScorePlugins[] = {"NodeResourcesBalancedAllocation",
                                   "ImageLocality",
                                   "InterPodAffinity",
                                   "NodeResourcesFit",
                                   "NodeAffinity",
                                   "PodTopologySpread",
                                   "TaintToleration"};
constexpr Names kVolumes[] = {"VolumeBinding"};
constexpr Names kBinds[] = {"DefaultBinder"};
constexpr DefaultSet kDefaults[] = {{kPreEnqueue, kGates},       {kQueueSort, kSorts},
                                    {kPreFilter, kPreFilters},   {kFilter, kFilterPlugins},
                                    {kPostFilter, kPostFilters}, {kPreScore, kPreScores},
                                    {kScore, kScorePlugins},     {kReserve, kVolumes},
                                    {kPreBind, kVolumes},        {kBind, kBinds}};

}  // namespace v1_27

namespace v1_28 {

// Upstream: v1beta3/default_plugins.go v1.28.15.
constexpr Names kMultiPoint[] = {"PrioritySort",     "NodeUnschedulable",  "NodeName",
                                 "TaintToleration",  "NodeAffinity",       "NodePorts",
                                 "NodeResourcesFit", "VolumeRestrictions", "EBSLimits",
                                 "GCEPDLimits",      "NodeVolumeLimits",   "AzureDiskLimits",
                                 "VolumeBinding",    "VolumeZone",         "PodTopologySpread",
                                 "InterPodAffinity", "DefaultPreemption",  "NodeResourcesBalancedAllocation",
                                 "ImageLocality",    "DefaultBinder",      "SchedulingGates"};
constexpr DefaultSet kDefaults[] = {{std::nullopt, kMultiPoint}};

}  // namespace v1_28

// Upstream: pkg/scheduler/apis/config/v1/default_plugins.go v1.37.0.
namespace v1_37 {

constexpr Names kMultiPoint[] = {"SchedulingGates",
                                 "PrioritySort",
                                 "NodeName",
                                 "NodeUnschedulable",
                                 "TaintToleration",
                                 "NodeAffinity",
                                 "NodePorts",
                                 "NodeResourcesFit",
                                 "VolumeRestrictions",
                                 "NodeVolumeLimits",
                                 "VolumeBinding",
                                 "VolumeZone",
                                 "PodTopologySpread",
                                 "InterPodAffinity",
                                 "DynamicResources",
                                 "DefaultPreemption",
                                 "NodeResourcesBalancedAllocation",
                                 "ImageLocality",
                                 "DefaultBinder",
                                 "NodeDeclaredFeatures"};
constexpr DefaultSet kDefaults[] = {{std::nullopt, kMultiPoint}};

}  // namespace v1_37

}  // namespace

std::span<const DefaultSet> default_profile(Release release) {
  switch (release) {
    case Release::k1_18:
      return v1_18::kDefaults;
    case Release::k1_22:
      return v1_22::kDefaults;
    case Release::k1_27:
      return v1_27::kDefaults;
    case Release::k1_28:
      return v1_28::kDefaults;
    case Release::k1_37:
      break;
  }
  return v1_37::kDefaults;
}

std::span<const DefaultSet> autoscaler_profile() { return v1_18::kAutoscalerDefaults; }

std::size_t default_place(std::string_view plugin) {
  const auto* const found = std::ranges::find(v1_37::kMultiPoint, plugin);
  return static_cast<std::size_t>(found - std::begin(v1_37::kMultiPoint));
}

bool is_default(std::string_view plugin) { return std::ranges::contains(v1_37::kMultiPoint, plugin); }

}  // namespace winnow
