#include "extender/cli/kubectl/pending_list.h"

#include <doctest/doctest.h>

#include "extender/cli/flags/kubectl_flags.h"
#include "tests/extender/explain/examples.h"

namespace winnow::test {
namespace {

Explanation refused_for(const std::vector<std::vector<std::string>>& reasons_of_nodes) {
  Explanation it;
  for (const auto& reasons : reasons_of_nodes) it.nodes.push_back(refused("n", {refuses("R", reasons)}));
  return it;
}

std::string pending_text(PendingGroups& groups, std::size_t left_out, OutputForm form) {
  std::string out;
  append_pending(out, groups.take(), left_out, form);
  return out;
}

}  // namespace

TEST_SUITE("kubectl winnow: pending") {
  TEST_CASE("pods are together whose reasons are the same, whatever their order and the number of nodes") {
    PendingGroups groups;
    groups.add({"x", "one"}, refused_for({{"taint"}}));
    groups.add({"x", "two"}, refused_for({{"cpu"}, {"cpu"}, {"taint"}}));
    groups.add({"a", "three"}, refused_for({{"taint"}, {"taint"}, {"cpu"}}));
    groups.add({"a", "none"}, {});
    CHECK(pending_text(groups, 0, OutputForm::kTable) ==
          "2 pods: cpu, taint\n  a/three\n  x/two\n"
          "1 pod: taint\n  x/one\n"
          "1 pod: there are no nodes\n  a/none\n");
  }

  TEST_CASE("a large group names some pods, all with -o wide; words of pods cannot steer the terminal") {
    PendingGroups groups;
    for (int i = 0; i < 7; ++i) groups.add_unknown({"x", "p" + std::to_string(i)}, "late\x1b[2J");
    std::vector<PendingGroup> taken = groups.take();
    std::string table, wide;
    append_pending(table, taken, 3, OutputForm::kTable);
    append_pending(wide, taken, 0, OutputForm::kWide);
    CHECK(table.starts_with("7 pods: not explained: late\xef\xbf\xbd[2J\n  x/p0\n"));
    CHECK(table.ends_with(
        "  x/p4\n  … and 2 more\n3 pods more were not asked about; choose a namespace by -n\n"));
    CHECK(wide.ends_with("  x/p6\n"));
  }
}

}  // namespace winnow::test
