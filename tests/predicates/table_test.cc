#include <doctest/doctest.h>

#include <algorithm>

#include "cluster/rule/arguments.h"
#include "predicates/records.h"
#include "predicates/rules.h"
#include "priorities/rules.h"

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

}  // namespace winnow::predicates
