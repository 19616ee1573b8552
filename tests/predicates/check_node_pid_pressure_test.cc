#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("CheckNodePIDPressure") {
  const Placement rows[] = {
      {"nothing is said", pod("web"), node("a"), {}, "fits"},
      {"pressure",
       pod("web"),
       node("a").condition("PIDPressure", "True"),
       {},
       "unresolvable: node(s) had pid pressure"},
      {"also for a pod that asks for something",
       pod("web").cpu("1"),
       node("a").condition("PIDPressure", "True"),
       {},
       "unresolvable: node(s) had pid pressure"},
      {"no pressure", pod("web"), node("a").condition("PIDPressure", "False"), {}, "fits"},
      {"unknown is not True", pod("web"), node("a").condition("PIDPressure", "Unknown"), {}, "fits"},
      {"the last condition counts: off",
       pod("web"),
       node("a").condition("PIDPressure", "True").condition("PIDPressure", "False"),
       {},
       "fits"},
      {"the last condition counts: on",
       pod("web"),
       node("a").condition("PIDPressure", "False").condition("PIDPressure", "True"),
       {},
       "unresolvable: node(s) had pid pressure"},
      {"another pressure",
       pod("web"),
       node("a").condition("DiskPressure", "True").condition("MemoryPressure", "True"),
       {},
       "fits"},
  };
  check_verdicts("CheckNodePIDPressure", rows);
}

}  // namespace winnow::test
