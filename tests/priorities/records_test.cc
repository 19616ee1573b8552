#include "priorities/records.h"

#include <doctest/doctest.h>

#include "cluster/rule/policy_argument.h"

namespace winnow::priorities {

TEST_CASE("every name is found, others are not there") {
  for (const std::string_view name : classic_names()) {
    const Record* row = find_classic(name);
    REQUIRE(row);
    CHECK(row->name == name);
  }
  CHECK(find_classic("") == nullptr);
  CHECK(find_classic("selectorspreadpriority") == nullptr);
}

TEST_CASE("upstream's priorities are all there") {
  for (const char* name :
       {"BalancedResourceAllocation", "EqualPriority", "EvenPodsSpreadPriority", "ImageLocalityPriority",
        "InterPodAffinityPriority", "LeastRequestedPriority", "MostRequestedPriority", "NodeAffinityPriority",
        "NodePreferAvoidPodsPriority", "RequestedToCapacityRatioPriority", "ResourceLimitsPriority",
        "SelectorSpreadPriority", "ServiceSpreadingPriority", "TaintTolerationPriority"})
    CHECK(find_classic(name) != nullptr);
}

TEST_CASE("an argument finds the rule that it makes") {
  for (const char* argument :
       {"serviceAntiAffinity", "labelPreference", "requestedToCapacityRatioArguments"}) {
    CAPTURE(argument);
    REQUIRE(find_classic_taking(argument));
    CHECK(find_classic_taking(argument)->argument->name == argument);
    CHECK(find_classic_taking(argument)->name.empty());
  }
  CHECK(find_classic_taking("") == nullptr);
  CHECK(find_classic_taking("labelsPresence") == nullptr);
}

TEST_CASE("rules that upstream scores in one step have no raw score") {
  for (const char* name : {"InterPodAffinityPriority", "EvenPodsSpreadPriority"})
    CHECK_FALSE(find_classic(name)->has_map);
  for (const char* name : {"SelectorSpreadPriority", "LeastRequestedPriority"})
    CHECK(find_classic(name)->has_map);
}

}  // namespace winnow::priorities
