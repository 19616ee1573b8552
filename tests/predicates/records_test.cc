#include "predicates/records.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

namespace winnow::predicates {

TEST_CASE("upstream's predicates are all there, in its order of evaluation") {
  const std::vector<std::string_view> order = {"CheckNodeCondition",     "CheckNodeUnschedulable",
                                               "GeneralPredicates",      "HostName",
                                               "PodFitsHostPorts",       "MatchNodeSelector",
                                               "PodFitsResources",       "NoDiskConflict",
                                               "PodToleratesNodeTaints", "PodToleratesNodeNoExecuteTaints",
                                               "CheckNodeLabelPresence", "CheckServiceAffinity",
                                               "MaxEBSVolumeCount",      "MaxGCEPDVolumeCount",
                                               "MaxCSIVolumeCountPred",  "MaxAzureDiskVolumeCount",
                                               "MaxCinderVolumeCount",   "CheckVolumeBinding",
                                               "NoVolumeZoneConflict",   "CheckNodeMemoryPressure",
                                               "CheckNodePIDPressure",   "CheckNodeDiskPressure",
                                               "EvenPodsSpread",         "MatchInterPodAffinity"};
  std::vector<std::string_view> names;
  for (const Record& row : classic())
    if (std::ranges::contains(order, row.name)) names.push_back(row.name);
  CHECK(names == order);
}

TEST_CASE("every name is found, older names mean the newer, others are not there") {
  for (const std::string_view name : classic_names()) CHECK(find_classic(name) != nullptr);
  CHECK(find_classic("PodFitsPorts") == find_classic("PodFitsHostPorts"));
  CHECK(find_classic("PodFitsHost") == find_classic("HostName"));
  CHECK(find_classic("PodSelectorMatches") == find_classic("MatchNodeSelector"));
  CHECK(find_classic("") == nullptr);
  CHECK(find_classic("podfitsresources") == nullptr);
}

TEST_CASE("an argument finds the rule that it makes") {
  CHECK(find_classic_taking("labelsPresence")->name == "CheckNodeLabelPresence");
  CHECK(find_classic_taking("serviceAffinity")->name == "CheckServiceAffinity");
  CHECK(find_classic_taking("") == nullptr);
  CHECK(find_classic_taking("labelPreference") == nullptr);
}

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
  // Those of v1.16 come first, in its order. A predicate of Winnow's own may make a check that no plugin
  // makes.
  std::set<std::string_view> of_v1_16;
  for (const Record& record : classic()) {
    of_v1_16.insert(record.name);
    if (record.name == "MatchInterPodAffinity") break;
  }
  CHECK(of_v1_16.size() == 24);
  for (const std::string_view name : of_v1_16)
    CHECK_MESSAGE(named.contains(name), "no plugin names " << name);
  for (const std::string_view name : named) CHECK(find_classic(name) != nullptr);
}

TEST_CASE("what goes unchecked without a plugin can be told") {
  for (const Record& plugin : plugins()) {
    CAPTURE(plugin.name);
    CHECK_FALSE(plugin.checks.empty());
  }
}

}  // namespace winnow::predicates
