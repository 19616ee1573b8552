#include "extender/config/scheduler_config/releases/removed_plugins.h"

#include <algorithm>
#include <iterator>

namespace winnow {
namespace {

struct Removed {
  std::string_view name;
  std::string_view says;
};
constexpr std::string_view kLimitedNow = "was removed, NodeVolumeLimits limits these volumes too";
constexpr Removed kRemoved[] = {
    {"AzureDiskLimits", kLimitedNow},
    {"CinderLimits", kLimitedNow},
    {"DefaultPodTopologySpread",
     "was renamed SelectorSpread, which was removed in v1: PodTopologySpread with defaultingType System does "
     "its work"},
    {"EBSLimits", kLimitedNow},
    {"GCEPDLimits", kLimitedNow},
    {"NodeLabel", "was removed in v1beta2, NodeAffinity with addedAffinity does its work"},
    {"NodePreferAvoidPods", "was removed in v1beta2, TaintToleration does its work"},
    {"NodeResourceLimits", "was removed in v1beta1"},
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

std::string_view removed_plugin(std::string_view name) {
  const Removed* const removed = find_removed(name);
  return removed == nullptr ? std::string_view() : removed->says;
}

}  // namespace winnow
