#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("CheckNodeDiskPressure") {
  const Placement rows[] = {
      {"nothing is said", pod("web"), node("a"), {}, "fits"},
      {"pressure",
       pod("web"),
       node("a").condition("DiskPressure", "True"),
       {},
       "unresolvable: node(s) had disk pressure"},
      {"also for a pod that asks for something",
       pod("web").cpu("1"),
       node("a").condition("DiskPressure", "True"),
       {},
       "unresolvable: node(s) had disk pressure"},
      {"no pressure", pod("web"), node("a").condition("DiskPressure", "False"), {}, "fits"},
      {"unknown is not True", pod("web"), node("a").condition("DiskPressure", "Unknown"), {}, "fits"},
      {"the last condition counts: off",
       pod("web"),
       node("a").condition("DiskPressure", "True").condition("DiskPressure", "False"),
       {},
       "fits"},
      {"the last condition counts: on",
       pod("web"),
       node("a").condition("DiskPressure", "False").condition("DiskPressure", "True"),
       {},
       "unresolvable: node(s) had disk pressure"},
      {"another pressure",
       pod("web"),
       node("a").condition("PIDPressure", "True").condition("MemoryPressure", "True"),
       {},
       "fits"},
  };
  check_verdicts("CheckNodeDiskPressure", rows);
}

}  // namespace winnow::test
