#include <doctest/doctest.h>

#include "extender/explain/explanation_json.h"
#include "tests/extender/explain/examples.h"

namespace winnow::test {

TEST_SUITE("explain: JSON that is read") {
  TEST_CASE("what is written is read back, and written the same") {
    Explanation it;
    it.pod = "shop/web";
    it.feasible = 2;
    it.selected = "a";
    it.assumed = "b";
    it.node = "c";
    it.nominated = "d";
    it.nominated_by = "kube-scheduler";
    it.not_nominated = "it is so";
    it.gates = {"x.dev/quota", "x.dev/wait"};
    it.warnings = {"spec: wrong"};
    it.not_judged = {"DeviceClass gpu provides nvidia.com/gpu"};
    it.refused = RefusalEntry{.times = 3, .seconds = 1.5, .would_fit_on = "e", .would_fit_seconds = 0.5};
    it.preemption = PreemptionPreview{.node = "f",
                                      .victims = {"x/y"},
                                      .violations = 1,
                                      .message = "",
                                      .judged = 1,
                                      .candidates = 4,
                                      .in_vain = true};
    it.held = {{.ns = "shop",
                .name = "g0",
                .node = "c",
                .by = HeldBy::kNomination,
                .manager = "winnow-nominator",
                .tried = HeldTried::kBefore,
                .seconds = 40.5,
                .milli_cpu = 3000,
                .memory = 1 << 30,
                .others = {{"example.com/gpu", 2}, {"x.dev/a", 1}}},
               {.ns = "shop", .name = "g1", .node = "d", .by = HeldBy::kAnswer, .tried = HeldTried::kSince}};
    it.nodes = {fitting("a", {gives("LeastRequestedPriority", 7, 2)}, 10), refused("b", {no_cpu()}),
                refused("c", {breaks("CheckVolumeBinding", "no claim"), passes("X")})};
    NodeExplanation alone = fitting("d", {});
    alone.scored = false;
    alone.score_error = ScoreError{"ImageLocality", "broken"};
    it.nodes.push_back(alone);
    it.nodes.front().filters.front().skipped = true;
    it.nodes.front().scores.front().skipped = true;
    std::string text, again;
    append_json(text, it);
    const auto read = read_explanation(text);
    REQUIRE_MESSAGE(read, read.error());
    append_json(again, *read);
    CHECK(again == text);
    CHECK(read->gates == it.gates);
    CHECK(read->refused->times == 3);
    CHECK(read->held == it.held);
    CHECK(read->preemption->candidates == 4);
    CHECK_FALSE(read->nodes.back().scored);
    CHECK(read->nodes.front().scored);
  }

  TEST_CASE("an error has no nodes, and is read") {
    const auto read =
        read_explanation(R"({"pod":"a/b","feasible":0,"selected":null,"error":"stale","nodes":[]})");
    REQUIRE(read);
    CHECK(read->error == "stale");
    CHECK_FALSE(read->selected);
  }

  TEST_CASE("texts that no Winnow writes") {
    struct Row {
      const char* sentence;
      const char* text;
      const char* said;
    };
    const Row rows[] = {
        {"nothing", "", "not an object"},
        {"a page", "<html></html>", "not an object"},
        {"another object", R"({"kind":"Status"})", "feasible or nodes is missing"},
        {"half a text", R"({"pod":"a/b","nodes":[)", "line 1"},
        {"a wrong type", R"({"pod":"a/b","feasible":"2","nodes":[]})", "feasible"},
        {"no pod", R"({"feasible":0,"nodes":[]})", "pod is missing"},
        {"a node without a name", R"({"pod":"a/b","feasible":0,"nodes":[{"fits":true}]})", "nodes[0]: name"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const auto read = read_explanation(row.text);
      REQUIRE_FALSE(read);
      CAPTURE(read.error());
      CHECK(read.error().contains(row.said));
    }
  }
}

}  // namespace winnow::test
