#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("CheckNodeMemoryPressure stops pods of best effort only") {
  const Node pressed = node("a").condition("MemoryPressure", "True");
  const char* const kPressed = "unresolvable: node(s) had memory pressure";
  const Placement rows[] = {
      {"nothing is said of memory", pod("web"), node("a").condition("DiskPressure", "True"), {}, "fits"},
      {"best effort", pod("web").container(), pressed, {}, kPressed},
      {"zero quantities are best effort", pod("web").cpu("0").limit("memory", "0"), pressed, {}, kPressed},
      {"storage does not count", pod("web").asks("ephemeral-storage", "1Gi"), pressed, {}, kPressed},
      {"a request", pod("web").cpu("1m"), pressed, {}, "fits"},
      {"a limit", pod("web").limit("memory", "1"), pressed, {}, "fits"},
      {"an init container's request", pod("web").container().init().memory("1"), pressed, {}, "fits"},
      {"a tolerated taint does not help", pod("web").tolerates(""), pressed, {}, kPressed},
      {"no pressure", pod("web"), node("a").condition("MemoryPressure", "False"), {}, "fits"},
      {"the last condition counts",
       pod("web"),
       node("a").condition("MemoryPressure", "True").condition("MemoryPressure", "Unknown"),
       {},
       "fits"},
      {"pod-level requests are today's", pod("web").pod_level("cpu", "1"), pressed, {}, kPressed},
  };
  check_verdicts("CheckNodeMemoryPressure", rows);
  const Placement today[] = {
      {"pod-level requests are requests", pod("web").pod_level("cpu", "1"), pressed, {}, "fits"},
      {"best effort", pod("web"), pressed, {}, kPressed},
  };
  check_verdicts("CheckNodeMemoryPressure", today, {}, kDefaults);
}

}  // namespace winnow::test
