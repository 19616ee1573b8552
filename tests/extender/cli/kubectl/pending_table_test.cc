#include "extender/cli/kubectl/pending_table.h"

#include <doctest/doctest.h>

#include <vector>

#include "tests/extender/explain/examples.h"

namespace winnow::test {
namespace {

Explanation refused_on(const std::vector<std::vector<std::string>>& reasons_of_nodes) {
  Explanation it;
  for (const auto& reasons : reasons_of_nodes) it.nodes.push_back(refused("n", {refuses("R", reasons)}));
  return it;
}

std::string table_of(const std::vector<PendingRow>& rows, const PendingTableOptions& options) {
  std::string out;
  append_pending_table(out, rows, options);
  return out;
}

}  // namespace

TEST_SUITE("kubectl winnow: the table of pods that wait") {
  TEST_CASE("reasons have the number of their nodes, those of most nodes first") {
    struct Row {
      const char* sentence;
      Explanation explanation;
      const char *nodes, *reason;
    };
    Explanation fits = refused_on({{"cpu"}}), gated = fits, wrong = fits, none = refused_on({});
    fits.feasible = 1;
    gated.pre_filter = "the claim is missing";
    wrong.error = "stale";
    const Row rows[] = {
        {"one reason", refused_on({{"cpu"}, {"cpu"}}), "0/2", "2 cpu"},
        {"several", refused_on({{"taint"}, {"cpu"}, {"cpu", "memory"}}), "0/3", "2 cpu, 1 memory, 1 taint"},
        {"a pod that fits", fits, "1/1", "fits a node now, and waits for its scheduler"},
        {"PreFilter's has no number", gated, "0/1", "the claim is missing"},
        {"an error", wrong, "-", "error: stale"},
        {"no nodes", none, "0/0", "there are no nodes"},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      const PendingRow made = explained_row({.object = {"shop", "web"}, .gates = {}}, row.explanation);
      CHECK(made.nodes == row.nodes);
      CHECK(made.reason == row.reason);
    }
  }

  TEST_CASE("columns as kubectl's; causes stand in -o wide; words of pods cannot steer the terminal") {
    const std::vector<PendingRow> rows = {{{"shop", "web"}, 100, "0/4", "4 Insufficient cpu", "6 cpu wanted"},
                                          {{"shop", "db\x1b[2J"}, {}, "-", "gated", ""}};
    CHECK(table_of(rows, {.now = 145}) ==
          "NAMESPACE   NAME     AGE         NODES   REASON\n"
          "shop        web      45s         0/4     4 Insufficient cpu\n"
          "shop        db\xef\xbf\xbd[2J   <unknown>   -       gated\n");
    const std::string wide = table_of(rows, {.now = 145, .wide = true, .width = 60});
    CHECK(wide.contains("REASON               CAUSES\n"));
    CHECK(wide.contains("4 Insufficient cpu   6 cpu wanted\n"));
  }

  TEST_CASE("on a terminal reasons are broken at blanks, under their column") {
    const std::vector<PendingRow> rows = {
        {{"shop", "web"}, 0, "0/4", "3 Insufficient cpu, 1 node(s) were unschedulable", ""}};
    CHECK(table_of(rows, {.now = 7, .width = 62}) ==
          "NAMESPACE   NAME   AGE   NODES   REASON\n"
          "shop        web    7s    0/4     3 Insufficient cpu, 1 node(s)\n"
          "                                 were unschedulable\n");
    CHECK(table_of(rows, {.now = 7, .width = 40}).contains("cpu, 1 node(s) were unschedulable\n"));
  }

  TEST_CASE("ages are told as kubectl tells them") {
    struct Row {
      std::int64_t seconds;
      const char* text;
    };
    const Row rows[] = {{-5, "<invalid>"},    {-1, "0s"},         {0, "0s"},       {119, "119s"},
                        {120, "2m"},          {312, "5m12s"},     {600, "10m"},    {10'799, "179m"},
                        {10'800, "3h"},       {10'860, "3h1m"},   {28'800, "8h"},  {172'799, "47h"},
                        {172'800, "2d"},      {176'400, "2d1h"},  {691'200, "8d"}, {63'072'000, "2y"},
                        {63'158'400, "2y1d"}, {252'288'000, "8y"}};
    for (const Row& row : rows) CHECK(age_text(row.seconds) == row.text);
  }
}

}  // namespace winnow::test
