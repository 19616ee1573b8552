#include "extender/config/gates.h"

#include <doctest/doctest.h>

namespace winnow {
namespace {

TEST_CASE("feature gates that are read") {
  struct Row {
    const char* sentence;
    const char* text;
    bool exact;
  };
  const Row rows[] = {
      {"nothing is the defaults", "", false},
      {"true switches on", "ExactV116=true", true},
      {"Go's other words for true do too", "ExactV116=T", true},
      {"false leaves off", "ExactV116=false", false},
      {"the last of two counts", "ExactV116=true,ExactV116=0", false},
      {"space around names and values is passed over", " ExactV116 = true ", true},
      {"empty parts are passed over", ",ExactV116=true,", true},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto gates = parse_gates(row.text);
    REQUIRE(gates.has_value());
    CHECK(gates->exact_v116 == row.exact);
  }
}

TEST_CASE("upstream's gates have upstream's defaults") {
  const auto gates = parse_gates("CSIMigration=false,VolumeScheduling=true");
  REQUIRE(gates.has_value());
  CHECK(!gates->even_pods_spread);
  CHECK(!gates->resource_limits_priority);
  CHECK(!gates->pod_overhead);
  CHECK(gates->taint_nodes_by_condition);
  CHECK(gates->attach_volume_limit);
  const auto turned = parse_gates(
      "EvenPodsSpread=true,ResourceLimitsPriorityFunction=true,PodOverhead=true,TaintNodesByCondition=false,"
      "AttachVolumeLimit=false");
  REQUIRE(turned.has_value());
  CHECK(turned->even_pods_spread);
  CHECK(turned->resource_limits_priority);
  CHECK(turned->pod_overhead);
  CHECK(!turned->taint_nodes_by_condition);
  CHECK(!turned->attach_volume_limit);
}

TEST_CASE("feature gates that are refused, in upstream's words") {
  struct Row {
    const char* sentence;
    const char* text;
    const char* says;
  };
  const Row rows[] = {
      {"a gate without a value", "ExactV116", "missing bool value for ExactV116"},
      {"a line end is shown as a blank", "Exact\nV116", "missing bool value for Exact V116"},
      {"a value that is no boolean", "ExactV116=yes",
       "invalid value of ExactV116=yes, err: strconv.ParseBool: parsing \"yes\": invalid syntax"},
      {"a value that holds a second one", "ExactV116=true=true",
       "invalid value of ExactV116=true=true, err: strconv.ParseBool: parsing \"true=true\": invalid syntax"},
      {"no value behind the sign",
       "ExactV116=", "invalid value of ExactV116=, err: strconv.ParseBool: parsing \"\": invalid syntax"},
      {"a gate that is nearly known", "exactV116=true",
       "unrecognized feature gate: exactV116 (did you mean \"ExactV116\"?); known: "
       "AttachVolumeLimit EvenPodsSpread ExactV116 PodOverhead ResourceLimitsPriorityFunction "
       "TaintNodesByCondition"},
      {"a gate that is not known", "Frobnicate=true",
       "unrecognized feature gate: Frobnicate; known: AttachVolumeLimit EvenPodsSpread ExactV116 "
       "PodOverhead ResourceLimitsPriorityFunction TaintNodesByCondition"},
      {"one of upstream's that changes answers in a way that is not here", "CSIMigration=true",
       "feature gate CSIMigration is known here as CSIMigration=false only"},
      {"one that is on there", "VolumeScheduling=false",
       "feature gate VolumeScheduling is known here as VolumeScheduling=true only"},
      {"one of today's that is off", "GenericWorkload=true",
       "feature gate GenericWorkload is known here as GenericWorkload=false only"},
      {"one of today's that is on", "StorageCapacityScoring=false",
       "feature gate StorageCapacityScoring is known here as StorageCapacityScoring=true only"},
      {"a part that is only space", "ExactV116=true, ", "missing bool value for "},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    const auto gates = parse_gates(row.text);
    REQUIRE(!gates.has_value());
    CHECK(gates.error() == row.says);
  }
}

}  // namespace
}  // namespace winnow
