#include <doctest/doctest.h>

#include "predicates/rules.h"
#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("CheckNodeLabelPresence") {
  const char* const kRefused = "unresolvable: node(s) didn't have the requested labels";
  const Node none = node("a").label("other", "x");
  const Node one = node("a").label("disk", "");
  const Node both = node("a").label("disk", "ssd").label("rack", "1");
  const Placement present[] = {
      {"neither label", pod("web"), none, {}, kRefused},
      {"one of two", pod("web"), one, {}, kRefused},
      {"both, whatever their values", pod("web"), both, {}, "fits"},
  };
  check_verdicts("CheckNodeLabelPresence", present, LabelsPresence{{"disk", "rack"}, true});
  const Placement absent[] = {
      {"neither label", pod("web"), none, {}, "fits"},
      {"an empty value is there too", pod("web"), one, {}, kRefused},
      {"both", pod("web"), both, {}, kRefused},
  };
  check_verdicts("CheckNodeLabelPresence", absent, LabelsPresence{{"disk", "rack"}, false});
  const Placement any[] = {{"no labels asked", pod("web"), none, {}, "fits"}};
  check_verdicts("CheckNodeLabelPresence", any, LabelsPresence{{}, true});
  check_verdicts("CheckNodeLabelPresence", any, LabelsPresence{{}, false});
  const Placement unheard[] = {{"a key that no node has", pod("web"), none, {}, "fits"}};
  check_verdicts("CheckNodeLabelPresence", unheard, LabelsPresence{{"unheard-of"}, false});
}

}  // namespace winnow::test
