#include <doctest/doctest.h>

#include "extender/explain/decisions_json.h"
#include "tests/extender/explain/records.h"
#include "tests/extender/service/answers.h"

namespace winnow::test {
namespace {

TEST_SUITE("decisions: the question") {
  TEST_CASE("what a question matches") {
    DecisionRecord record = chosen("web");
    record.refused = {{1, 3, {}, 3}};
    const KeptDecision decision = ended(record, DecisionResult::kElsewhere, "node-9");
    struct Row {
      const char* query;
      bool matches;
    };
    const Row rows[] = {
        {"", true},
        {"&&", true},
        {"pod=default/web", true},
        {"pod=default%2Fweb", true},
        {"pod=web", true},
        {"pod=other/web", false},
        {"node=node-7", true},
        {"node=node-1", true},
        {"node=node-9", true},
        {"node=node-2", false},
        {"rule=NodeAffinity", true},
        {"rule=TaintToleration", true},
        {"rule=NodeResourcesFit", false},
        {"rule=ImageLocality", false},
        {"verb=filter", true},
        {"verb=preempt", false},
        {"result=elsewhere", true},
        {"result=bound", false},
        {"since=2026-11-25T12:04:31Z", true},
        {"since=2026-11-25T12:04:32Z", false},
        {"since=2026-11-25T13:04:31%2B01:00", true},
        {"until=2026-11-25T12:04:31Z", true},
        {"until=2026-11-25T12:04:30Z", false},
        {"pod=web&verb=filter&limit=1&since=2026-11-25T12:00:00Z", true},
    };
    for (const Row& row : rows) {
      CAPTURE(row.query);
      const auto query = read_decisions_query(row.query);
      REQUIRE_MESSAGE(query.has_value(), (query ? "" : query.error()));
      CHECK(query->matches(decision) == row.matches);
    }
    DecisionRecord there = decided("web", DecisionVerb::kShadow);
    there.refused_there = {{0, 1, {}, 0}};
    CHECK(read_decisions_query("rule=NodeResourcesFit&verb=shadow&result=nowhere")
              ->matches(ended(there, DecisionResult::kNowhere, "node-9")));
    CHECK(read_decisions_query("")->limit == DecisionsQuery::kDefaultLimit);
    CHECK(read_decisions_query("limit=7")->limit == 7);
  }

  TEST_CASE("a wrong parameter is named, with what is expected") {
    struct Row {
      const char* query;
      const char* error;
    };
    const Row rows[] = {
        {"verb=guess", "verb: \"guess\" is not one of filter, prioritize, preempt, bind, nominate, shadow"},
        {"result=won",
         "result: \"won\" is not one of waiting, bound, elsewhere, refused, deleted, bind_failed, withdrawn, "
         "nowhere, error, same, tie, other"},
        {"since=yesterday", "since: \"yesterday\" is not a time such as 2026-01-31T12:00:00Z"},
        {"until=2026-01-31", "until: \"2026-01-31\" is not a time such as 2026-01-31T12:00:00Z"},
        {"limit=0", "limit: \"0\" is not a number from 1 to 1000"},
        {"limit=1001", "limit: \"1001\" is not a number from 1 to 1000"},
        {"limit=-1", "limit: \"-1\" is not a number from 1 to 1000"},
        {"limit=1x", "limit: \"1x\" is not a number from 1 to 1000"},
        {"limit=99999999999999999999999",
         "limit: \"99999999999999999999999\" is not a number from 1 to 1000"},
        {"pod=a/b/c", "pod: \"a/b/c\" is not NAMESPACE/NAME"},
        {"pod=/b", "pod: \"/b\" is not NAMESPACE/NAME"},
        {"pod=a/", "pod: \"a/\" is not NAMESPACE/NAME"},
        {"pods=a",
         "unknown parameter \"pods\" (did you mean \"pod\"?); there are pod, node, rule, verb, result, "
         "since, "
         "until, limit"},
        {"verb=%0A%1b",
         "verb: \"\\n\\x1b\" is not one of filter, prioritize, preempt, bind, nominate, shadow"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.query);
      const auto query = read_decisions_query(row.query);
      REQUIRE_FALSE(query);
      CHECK(query.error() == row.error);
    }
  }

  TEST_CASE("the nearest nodes are told as data and in words, and read again") {
    DecisionLog log(2);
    DecisionRecord record = decided("web");
    record.nearest = {{"n1",
                       {{1, {Cause{"taint"}.with("taint", "a=b:NoSchedule")}},
                        {0, {Cause{"unschedulable"}, Cause{"unschedulable"}}}}},
                      {"n2\x1b", {{0, {Cause{"unschedulable"}}}}}};
    log.keep(record);
    const std::string json = decisions_json(log, {});
    CHECK(json_at(json, "decisions.0.nearest.0") ==
          R"({"node":"n1","refused":[)"
          R"({"rule":"TaintToleration","causes":[{"kind":"taint","taint":"a=b:NoSchedule"}]},)"
          R"({"rule":"NodeResourcesFit","causes":[{"kind":"unschedulable"},{"kind":"unschedulable"}]}]})");
    const auto told = read_decisions(json);
    REQUIRE(told);
    CHECK(nearest_lines_of(told->front()) ==
          std::vector<std::string>{"  n1: taint a=b:NoSchedule; the node is cordoned; the node is cordoned",
                                   "  n2\uFFFD: the node is cordoned"});
  }

  TEST_CASE("an answer is bounded, and says how many more there are") {
    DecisionLog log(2000);
    for (int i = 0; i < 1500; ++i) {
      DecisionRecord record = chosen("p" + std::to_string(i % 3));
      for (int j = 0; j < 8; ++j) record.refused.push_back({0, 1, {{std::string(100, '\x01'), 1}}, 0});
      log.keep(std::move(record));
    }
    struct Row {
      const char* query;
      std::size_t most;
      std::size_t all;
    };
    const Row rows[] = {
        {"", 100, 1500}, {"limit=1000", 1000, 1500}, {"pod=default/p1&limit=3", 3, 500}, {"pod=none", 0, 0}};
    for (const Row& row : rows) {
      CAPTURE(row.query);
      const std::string json = decisions_json(log, *read_decisions_query(row.query));
      CHECK(json.size() <= kMostDecisionsBytes);
      CHECK(json.ends_with("}\n"));
      const std::size_t shown = json_size(json, "decisions");
      CHECK(shown <= row.most);
      CHECK((row.all == 0 || shown >= 1));
      CHECK(json_at(json, "more") == std::to_string(row.all - shown));
      CHECK(json_at(json, "kept") == std::to_string(log.figures().kept));
    }
  }
}

}  // namespace
}  // namespace winnow::test
