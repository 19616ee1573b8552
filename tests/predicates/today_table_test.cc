#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "predicates/records.h"

namespace winnow::predicates {

TEST_CASE("each classic predicate checks what a plugin checks, or what none does") {
  std::set<std::string_view> named;
  for (const Record& plugin : plugins()) {
    CAPTURE(plugin.name);
    for (const std::string_view classic : {plugin.classic.predicate, plugin.classic.also}) {
      if (classic.empty()) continue;
      CAPTURE(classic);
      CHECK(find_classic(classic) != nullptr);
      named.insert(classic);
    }
  }
  // A new predicate whose check a filter of kube-scheduler makes belongs in that filter's row.
  for (const char* no_plugins :
       {"PodToleratesNodeNoExecuteTaints", "CheckNodeLabelPresence", "CheckServiceAffinity",
        "MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount", "MaxCinderVolumeCount",
        "CheckNodeMemoryPressure", "CheckNodePIDPressure", "CheckNodeDiskPressure"})
    CHECK(named.insert(no_plugins).second);
  // What v1.16 lacks has a place behind its order, and may have a name that no plugin knows.
  for (const char* of_v1_16 :
       {"CheckNodeCondition", "GeneralPredicates", "EvenPodsSpread", "MatchInterPodAffinity"})
    CHECK(named.contains(of_v1_16));
}

TEST_CASE("what goes unchecked without a plugin can be told") {
  for (const Record& plugin : plugins()) {
    CAPTURE(plugin.name);
    CHECK_FALSE(plugin.checks.empty());
  }
}

}  // namespace winnow::predicates
