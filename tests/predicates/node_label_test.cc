#include <doctest/doctest.h>

#include "cluster/rule/shared_args.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("NodeLabel: labels that a node must have, and labels that it must lack") {
  const char* const refused = "unresolvable: node(s) didn't have the requested labels";
  const Node labelled = node("n").label("rack", "").label("retiring", "2027");
  const Placement rows[] = {
      {"without a label that must be there", pod("web"), node("n"), {}, refused},
      {"with it, whatever its value, and without the other",
       pod("web"),
       node("n").label("rack", ""),
       {},
       "fits"},
      {"with both", pod("web"), labelled, {}, refused},
  };
  check_plugin_verdicts("NodeLabel", rows, NodeLabelArgs{{"rack"}, {"retiring"}, {}, {}});
  const Placement unasked[] = {{"nothing is asked", pod("web"), node("n"), {}, "fits"}};
  check_plugin_verdicts("NodeLabel", unasked, NodeLabelArgs{{}, {}, {"rack"}, {"retiring"}});
  check_plugin_verdicts("NodeLabel", unasked);
}

}  // namespace winnow::test
