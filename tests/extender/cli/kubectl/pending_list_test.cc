#include "extender/cli/kubectl/pending_list.h"

#include <doctest/doctest.h>

#include "extender/explain/pending_summary.h"
#include "tests/extender/explain/examples.h"

namespace winnow::test {
namespace {

Explanation refused_for(const std::vector<std::vector<std::string>>& reasons_of_nodes) {
  Explanation it;
  for (const auto& reasons : reasons_of_nodes) it.nodes.push_back(refused("n", {refuses("R", reasons)}));
  return it;
}

}  // namespace

TEST_SUITE("kubectl winnow: pending") {
  TEST_CASE("pods are together whose reasons are the same, whatever their order and the number of nodes") {
    PendingGroups groups;
    groups.add({"x", "one"}, refused_for({{"taint"}}));
    groups.add({"x", "two"}, refused_for({{"cpu"}, {"cpu"}, {"taint"}}));
    groups.add({"a", "three"}, refused_for({{"taint"}, {"taint"}, {"cpu"}}));
    groups.add({"a", "none"}, {});
    std::string out;
    append_pending_json(out, groups.take(), {{2, "2 of 3 pending pods lack cpu (Fit)"}}, 3);
    CHECK(out == R"({"groups":[{"reason":"cpu, taint","pods":["a/three","x/two"]},)"
                 R"({"reason":"taint","pods":["x/one"]},{"reason":"there are no nodes","pods":["a/none"]}],)"
                 R"x("summary":[{"pods":2,"text":"2 of 3 pending pods lack cpu (Fit)"}],"notAsked":3})x"
                 "\n");
  }
}

}  // namespace winnow::test
