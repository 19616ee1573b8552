#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "predicates/plugins.h"
#include "predicates/table.h"

namespace winnow::predicates::today {

TEST_CASE("each classic predicate checks what a plugin checks, or what none does") {
  std::set<std::string_view> named;
  for (const Row& plugin : plugins()) {
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
  std::set<std::string_view> all;
  for (const predicates::Row& row : classic()) all.insert(row.name);
  CHECK(named == all);
}

TEST_CASE("what goes unchecked without a plugin can be told") {
  for (const Row& plugin : plugins()) {
    CAPTURE(plugin.name);
    CHECK_FALSE(std::string_view(plugin.checks).empty());
  }
}

}  // namespace winnow::predicates::today
