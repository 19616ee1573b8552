#include <doctest/doctest.h>

#include "cluster/api/pod.h"
#include "extender/explain/decisions_json.h"
#include "extender/explain/decisions_text.h"
#include "tests/extender/explain/records.h"
#include "tests/extender/service/answers.h"

namespace winnow::test {
namespace {

DecisionRecord with_best(std::vector<NodeTotal> best, DecisionRecord record = chosen("web")) {
  record.best = std::move(best);
  return record;
}

DecisionRecord nowhere() {
  DecisionRecord record = decided("web");
  record.refused = {{0, 3, {{"Insufficient cpu", 3}, {"Insufficient memory", 1}}, 0},
                    {1, 1, {{"node(s) had untolerated taint(s)", 1}}, 0}};
  record.unknown_nodes = 1;
  return record;
}

DecisionRecord eviction(std::vector<std::string> victims, std::uint32_t more = 0) {
  DecisionRecord record = decided("web", DecisionVerb::kPreempt);
  record.fits = 1;
  record.best = {{"node-3", 0, {}}};
  record.victims = std::move(victims);
  record.more_victims = more;
  return record;
}

TEST_SUITE("decisions: in words") {
  TEST_CASE("a decision in one sentence") {
    DecisionRecord only = decided("web");
    only.fits = 1;
    only.best = {{"node-7", 0, {}}};
    DecisionRecord several = decided("web");
    several.fits = 4;
    DecisionRecord scheduler_chooses = chosen("web");
    scheduler_chooses.given = false;
    DecisionRecord fails = decided("web");
    fails.error = "persistentvolumeclaim \"data\" not found";
    DecisionRecord none = decided("web");
    none.nodes = 0;
    DecisionRecord no_help = decided("web", DecisionVerb::kPreempt);
    DecisionRecord many_free = no_help;
    many_free.fits = 3;
    DecisionRecord binding = decided("web", DecisionVerb::kBind);
    binding.best = {{"node-7", 0, {}}};
    using enum DecisionResult;
    struct Row {
      KeptDecision decision;
      const char* text;
    };
    const Row rows[] = {
        {ended(chosen("web"), kBound, "node-7"),
         "it went to node-7: 722 against 672 for node-1; NodeAffinity made the difference (+50), bound there "
         "0.1 s later"},
        {kept(chosen("web")),
         "Winnow chose node-7: 722 against 672 for node-1; NodeAffinity made the difference (+50), and the "
         "pod "
         "is not bound yet"},
        {kept(chosen("web", DecisionVerb::kNominate)),
         "Winnow nominated it for node-7: 722 against 672 for node-1; NodeAffinity made the difference "
         "(+50), "
         "and the pod is not bound yet"},
        {ended(scheduler_chooses, kElsewhere, "node-1"),
         "the best was node-7: 722 against 672 for node-1; NodeAffinity made the difference (+50), but bound "
         "to node-1 0.1 s later"},
        {ended(with_best({{"a", 30, {20, 10}}, {"b", 0, {0, 0}}}), kDeleted),
         "Winnow chose a: 30 against 0 for b; NodeAffinity (+20) and ImageLocality (+10) made the "
         "difference, but the pod was deleted 0.1 s later"},
        {ended(with_best({{"a", 9, {9, 0}}, {"b", 9, {0, 9}}}), kRefused, "", "reserve: no"),
         "Winnow chose a: 9 against 9 for b; a tie, drawn by lot, but kube-scheduler refused it 0.1 s later: "
         "reserve: no"},
        {ended(with_best({{"a", 5, {5, 0}}, {"b", 9, {0, 9}}}), kRefused),
         "Winnow chose a: 5 against 9 for b; that node ranks behind, since the pod did not go to it before, "
         "but kube-scheduler asked again 0.1 s later"},
        {kept(with_best({{"a", 5, {}}, {"b", 4, {}}})),
         "Winnow chose a: 5 against 4 for b; the scores of so many rules are not kept, and the pod is not "
         "bound yet"},
        {ended(only, kBound, "node-7"),
         "it went to node-7, the only one of 5 nodes that fits; nothing was scored, bound there 0.1 s later"},
        {ended(several, kBound, "node-2"),
         "4 of 5 nodes fit; nothing was scored, bound to node-2 0.1 s later"},
        {ended(several, kWaiting, "", "0/5 nodes are available."),
         "4 of 5 nodes fit; nothing was scored, and the pod is not bound yet; kube-scheduler says: 0/5 nodes "
         "are "
         "available."},
        {ended(nowhere(), kNowhere),
         "nowhere: 0/5 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated taint(s), 1 "
         "node(s) were not in Winnow's picture of the cluster yet, 3 Insufficient cpu."},
        {ended(none, kNowhere), "nowhere: no nodes available to schedule pods"},
        {ended(fails, kError), "it failed: persistentvolumeclaim \"data\" not found"},
        {ended(no_help, kNowhere), "no eviction helps"},
        {kept(many_free), "evictions free 3 nodes; kube-scheduler chooses, and the pod is not bound yet"},
        {kept(eviction({"default/a", "default/b"})),
         "room on node-3 by evicting default/a and default/b, and the pod is not bound yet"},
        {kept(eviction({"a", "b"}, 7)),
         "room on node-3 by evicting a, b and 7 more, and the pod is not bound yet"},
        {ended(binding, kBindFailed, "", "pod is gone"),
         "binding to node-7, but the binding failed: pod is gone"},
        {ended(chosen("web", DecisionVerb::kNominate), kWithdrawn, "", "cleared"),
         "Winnow nominated it for node-7: 722 against 672 for node-1; NodeAffinity made the difference "
         "(+50), "
         "but the nomination ended: cleared"},
    };
    for (const Row& row : rows) CHECK(decision_text(row.decision) == row.text);
  }

  TEST_CASE("a shadow's decision in a sentence") {
    DecisionRecord many = chosen("web", DecisionVerb::kShadow);
    many.refused_there = {{0, 1, {{"Insufficient cpu", 1}, {"Too many pods", 1}}, 0}, {1, 1, {}, 1}};
    DecisionRecord only = decided("web", DecisionVerb::kShadow);
    only.fits = 1;
    only.best = {{"node-7", 0, {}}};
    DecisionRecord nominated = only;
    nominated.nominated = true;
    DecisionRecord none = nowhere();
    none.verb = DecisionVerb::kShadow;
    DecisionRecord fails = none;
    fails.error = "no claim";
    using enum DecisionResult;
    struct Row {
      KeptDecision decision;
      const char* text;
    };
    const std::string nothing =
        "0/5 nodes are available: 1 Insufficient memory, 1 node(s) had untolerated "
        "taint(s), 1 node(s) were not in Winnow's picture of the cluster yet, 3 "
        "Insufficient cpu.";
    const Row rows[] = {
        {ended(chosen("web", DecisionVerb::kShadow), kSame, "node-7"),
         "it would go to node-7, where it was bound: 722 against 672 for node-1; NodeAffinity made the "
         "difference (+50)"},
        {ended(chosen("web", DecisionVerb::kShadow), kOther, "node-1"),
         "it would go to node-7: 722 against 672 for node-1, where it was bound; NodeAffinity made the "
         "difference (+50)"},
        {ended(many, kOther, "node-4"),
         "it would go to node-7, but it was bound to node-4, refused by NodeResourcesFit (Insufficient cpu, "
         "Too many pods) and TaintToleration"},
        {ended(chosen("web", DecisionVerb::kShadow), kRefused, "", "reserve: no"),
         "it would go to node-7: 722 against 672 for node-1; NodeAffinity made the difference (+50), but "
         "kube-scheduler refused it: reserve: no"},
        {ended(only, kSame, "node-7"),
         "it would go to node-7, where it was bound, the only one of 5 nodes that fits"},
        {ended(nominated, kSame, "node-7"), "it would go to node-7, where it was nominated and bound"},
        {ended(nominated, kOther, "node-4"),
         "it would go to node-7, its nominated node, but it was bound to node-4"},
        {ended(fails, kError, "node-4"), "it failed: no claim"},
    };
    for (const Row& row : rows) CHECK(decision_text(row.decision) == row.text);
    CHECK(decision_text(ended(none, kSame)) ==
          "nowhere, and kube-scheduler found no node either: " + nothing);
    CHECK(decision_text(ended(none, kNowhere, "node-4", "unknown")) ==
          "nowhere, but it was bound to node-4: unknown; " + nothing);
  }

  TEST_CASE("a decision as JSON, and read again") {
    std::string json = R"({"decisions":[)";
    append_decision(json, ended(chosen("web"), DecisionResult::kBound, "node-7"));
    json += ',';
    append_decision(json, ended(nowhere(), DecisionResult::kNowhere));
    json += "]}";
    struct Row {
      const char* path;
      const char* value;
    };
    const Row rows[] = {
        {"decisions.0.time", R"("2026-11-25T12:04:31.000Z")"},
        {"decisions.0.verb", R"("filter")"},
        {"decisions.0.pod", R"("default/web")"},
        {"decisions.0.nodes", "5"},
        {"decisions.0.fits", "2"},
        {"decisions.0.picked", R"("node-7")"},
        {"decisions.0.best.0.total", "722"},
        {"decisions.0.best.1.scores.0", R"({"rule":"NodeAffinity","weighted":650})"},
        {"decisions.0.runnerUp", R"("node-1")"},
        {"decisions.0.difference", R"([{"rule":"NodeAffinity","by":50}])"},
        {"decisions.0.result", R"("bound")"},
        {"decisions.0.boundTo", R"("node-7")"},
        {"decisions.0.known", R"("2026-11-25T12:04:31.100Z")"},
        {"decisions.1.unknownNodes", "1"},
        {"decisions.1.refused.0.rule", R"("NodeResourcesFit")"},
        {"decisions.1.refused.0.nodes", "3"},
        {"decisions.1.refused.0.reasons.1", R"({"reason":"Insufficient memory","nodes":1})"},
        {"decisions.1.result", R"("nowhere")"},
        {"decisions.1.best", ""},
    };
    for (const Row& row : rows) {
      CAPTURE(row.path);
      CHECK(json_at(json, row.path) == row.value);
    }
    const auto told = read_decisions(json);
    REQUIRE(told);
    REQUIRE(told->size() == 2);
    CHECK(line_of(told->front()).starts_with("2026-11-25 12:04:31 filter: it went to node-7: 722 against"));
    CHECK_FALSE(line_of(told->front()).contains("request"));
    CHECK(
        line_of({.time = "2026-11-25T12:04:31.000Z", .verb = "bind", .text = "done", .request_id = "a b"}) ==
        "2026-11-25 12:04:31 bind: done (request a b)");
  }

  TEST_CASE("hostile names cannot steer a terminal or break the JSON") {
    DecisionRecord record = chosen("web\"\\\n\x1b[2J\xff");
    record.best[0].node = "<b>\u202e\r\n\"";
    record.rules = std::make_shared<const RuleNames>(RuleNames{{"\"a\n", "b"}, {"x\"\n\x1b", "y"}});
    record.refused = {{0, 3, {{"\"\x07", 3}}, 0}};
    std::string json = R"({"decisions":[)";
    append_decision(json, ended(record, DecisionResult::kRefused, "", "no\"\n\x1b[0m"));
    json += "]}";
    CHECK(is_json(json));
    const auto told = read_decisions(json);
    REQUIRE(told);
    const std::string line = line_of(told->front());
    for (const char* const bad : {"\n", "\r", "\x1b", "\u202e"}) CHECK_FALSE(line.contains(bad));
  }

  TEST_CASE("answers that are none of a Winnow's") {
    struct Row {
      const char* json;
      const char* error;
    };
    const Row rows[] = {
        {"", "null is not an object"},
        {"[]", "is not an object"},
        {"{}", "decisions is missing"},
        {R"({"decisions":3})", "decisions: 3 is not a list"},
        {R"({"decisions":[{"text":3}]})", "decisions[0].text: 3 is not a string"},
        {"{", "line 1"},
    };
    for (const Row& row : rows) {
      const auto told = read_decisions(row.json);
      REQUIRE_FALSE(told);
      CHECK_MESSAGE(told.error().contains(row.error), told.error());
    }
    CHECK(read_decisions(R"({"decisions":[{"later":1}],"more":2})")->size() == 1);
  }
}

}  // namespace
}  // namespace winnow::test
