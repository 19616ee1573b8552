#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("CheckNodeCondition") {
  const Placement rows[] = {
      {"no conditions at all", pod("web"), node("a"), {}, "fits"},
      {"ready, with its network",
       pod("web"),
       node("a").condition("Ready", "True").condition("NetworkUnavailable", "False"),
       {},
       "fits"},
      {"not ready",
       pod("web"),
       node("a").condition("Ready", "False"),
       {},
       "unresolvable: node(s) were not ready"},
      {"readiness unknown",
       pod("web"),
       node("a").condition("Ready", "Unknown"),
       {},
       "unresolvable: node(s) were not ready"},
      {"no network",
       pod("web"),
       node("a").condition("NetworkUnavailable", "True"),
       {},
       "unresolvable: node(s) had unavailable network"},
      {"network unknown",
       pod("web"),
       node("a").condition("NetworkUnavailable", "Unknown"),
       {},
       "unresolvable: node(s) had unavailable network"},
      {"one bad Ready is enough, whatever follows",
       pod("web"),
       node("a").condition("Ready", "False").condition("Ready", "True"),
       {},
       "unresolvable: node(s) were not ready"},
      {"cordoned, and tolerated or not",
       pod("web").tolerates(""),
       node("a").cordoned(),
       {},
       "unresolvable: node(s) were unschedulable"},
      {"everything at once",
       pod("web"),
       node("a").condition("Ready", "False").condition("NetworkUnavailable", "True").cordoned(),
       {},
       "unresolvable: node(s) were not ready, node(s) had unavailable network, node(s) were unschedulable"},
      {"reasons stand as the conditions do",
       pod("web"),
       node("a").condition("NetworkUnavailable", "True").condition("Ready", "False").cordoned(),
       {},
       "unresolvable: node(s) had unavailable network, node(s) were not ready, node(s) were unschedulable"},
      {"a condition that stands twice is said twice",
       pod("web"),
       node("a")
           .condition("Ready", "False")
           .condition("NetworkUnavailable", "True")
           .condition("Ready", "Unknown"),
       {},
       "unresolvable: node(s) were not ready, node(s) had unavailable network, node(s) were not ready"},
      {"pressure is another rule's",
       pod("web"),
       node("a")
           .condition("MemoryPressure", "True")
           .condition("DiskPressure", "True")
           .condition("PIDPressure", "True"),
       {},
       "fits"},
  };
  check_verdicts("CheckNodeCondition", rows);
}

}  // namespace winnow::test
