#include <doctest/doctest.h>

#include "extender/explain/decision_ring.h"
#include "extender/explain/decisions_json.h"
#include "tests/extender/explain/records.h"

namespace winnow::test {
namespace {

/// Every member has a value of its own.
DecisionRecord full() {
  DecisionRecord record = chosen("web", DecisionVerb::kPreempt);
  record.cache_age = std::chrono::milliseconds(1234);
  record.nodes = 5000;
  record.unknown_nodes = 7;
  record.fits = 11;
  record.scored = 10;
  record.refused = {{1, 13, {{"too \"small\"", 3}, {std::string("\0\xff", 2), 10}}, 2}, {0, 1, {}, 1}};
  record.error = "no";
  record.victims = {"default/a", ""};
  record.more_victims = 17;
  record.resource_version = 19;
  record.refused_there = {{0, 1, {{"there", 1}}, 3}};
  record.nearest = {{"node-2",
                     {{1, {Cause{"taint"}.with("taint", "a=b:NoSchedule"), Cause{"unschedulable"}}},
                      {0, {Cause{"spread"}.with("count", std::int64_t{-7})}}}},
                    {"", {{0, {Cause{"nominated"}.with("pods", std::vector<std::string>{"a/b", ""})}}}}};
  record.nominated = true;
  record.known_refusal = 23;
  return record;
}

std::string in_json(const DecisionRecord& record) {
  std::string json;
  append_decision(json, kept(record));
  return json;
}

TEST_SUITE("decisions: packed") {
  TEST_CASE("what is packed is unpacked") {
    for (const DecisionRecord& record : {full(), DecisionRecord(), decided("a")}) {
      const std::string packed = pack(record);
      const DecisionRecord again = unpack(packed, record.rules);
      CHECK(in_json(again) == in_json(record));
      CHECK(again.time == record.time);
      CHECK(again.resource_version == record.resource_version);
      CHECK(again.known_refusal == record.known_refusal);
      CHECK(again.rules == record.rules);
      CHECK(pack(again) == packed);
      CHECK(packed_pod(packed) == record.pod);
    }
    CHECK(unpack(pack(full()), two_rules()).refused[0].reasons[1].text.size() == 2);
  }
}

}  // namespace
}  // namespace winnow::test
