#include "extender/cli/kubectl/node_list.h"

#include <doctest/doctest.h>

#include <limits>

#include "cluster/state/state.h"
#include "extender/cli/flags/kubectl_flags.h"
#include "tests/builders.h"
#include "tests/extender/explain/examples.h"

namespace winnow::test {
namespace {

std::string node_list_text(const State& state, const Explanation* explanation, OutputForm form) {
  std::string out;
  append_node_list(out, node_lines(state, explanation), explanation, form);
  return out;
}

void fill_for_list(State& state) {
  for (const char* name : {"c", "a", "d", "b"}) state.set_node(node(name).cpu("4").memory("8Gi").pods("10"));
  state.set_pod(pod("web").cpu("1500m").memory("2Gi").on("a"));
}

}  // namespace

TEST_SUITE("kubectl winnow: nodes") {
  TEST_CASE("nodes by name, with what their pods ask for") {
    State state;
    fill_for_list(state);
    const std::string table = node_list_text(state, nullptr, OutputForm::kTable);
    CHECK(table.starts_with("NAME   STATUS   CPU"));
    CHECK(table.contains("1.5/4 (38%)   2.0/8.0Gi (25%)   1/10\n"));
    CHECK(table.contains("0/4 (0%)      0.0/8.0Gi (0%)    0/10\n"));
    CHECK(node_list_text(state, nullptr, OutputForm::kName) == "node/a\nnode/b\nnode/c\nnode/d\n");
    CHECK(node_list_text(state, nullptr, OutputForm::kJson)
              .contains(R"("milliCPU":{"requested":1500,"allocatable":4000})"));
  }

  TEST_CASE("places that are held stand beside what pods ask for, and not in it") {
    State state;
    fill_for_list(state);
    CHECK_FALSE(node_list_text(state, nullptr, OutputForm::kTable).contains("HELD"));
    Pod waits = pod("g0").in("default").cpu("3");
    waits.status.nominated_node_name = "b";
    waits.status.nominated_by = "winnow-nominator";
    state.set_pod(waits);
    const std::string table = node_list_text(state, nullptr, OutputForm::kTable);
    CHECK(table.contains("PODS   HELD\n"));
    CHECK(table.contains("1/10   -\n"));
    CHECK(table.contains("0/4 (0%)      0.0/8.0Gi (0%)    0/10   1\n"));
    CHECK(node_list_text(state, nullptr, OutputForm::kJson)
              .contains(R"("held":["3 cpu on b are held for default/g0, nominated, never tried"])"));
  }

  TEST_CASE("with a pod the nodes that take it come first, the best at the top, whatever the scores") {
    State state;
    fill_for_list(state);
    Explanation it;
    it.pod = "default/new";
    it.feasible = 3;
    it.selected = "c";
    it.nodes = {fitting("a", {gives("R", 5)}), refused("b", {no_cpu()}), fitting("c", {gives("R", 5)}),
                fitting("d", {})};
    it.nodes.back().total = std::numeric_limits<std::int64_t>::min();
    CHECK(node_list_text(state, &it, OutputForm::kName) == "node/c\nnode/a\nnode/d\n");
    const std::string table = node_list_text(state, &it, OutputForm::kTable);
    CHECK(table.contains("best   5\n"));
    CHECK(table.contains("no     -"));
    CHECK(table.ends_with("Insufficient cpu\n"));
    it.nodes.pop_back();
    CHECK(node_list_text(state, &it, OutputForm::kTable).contains("was not asked about"));
  }
}

}  // namespace winnow::test
