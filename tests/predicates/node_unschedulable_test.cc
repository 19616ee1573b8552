#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("NodeUnschedulable") {
  const char* const kRefused = "unresolvable: node(s) were unschedulable";
  const char* const kKey = "node.kubernetes.io/unschedulable";
  const Node cordoned = node("a").cordoned();
  const Placement rows[] = {
      {"a node like any", pod("web"), node("a"), {}, "fits"},
      {"cordoned", pod("web"), cordoned, {}, kRefused},
      {"the taint alone is TaintToleration's matter",
       pod("web"),
       node("a").taint(kKey, "", "NoSchedule"),
       {},
       "fits"},
      {"tolerated, though the node has no such taint", pod("web").tolerates(kKey), cordoned, {}, "fits"},
      {"tolerated with its effect",
       pod("web").tolerates(kKey, "Exists", "", "NoSchedule"),
       cordoned,
       {},
       "fits"},
      {"tolerated with another effect",
       pod("web").tolerates(kKey, "Exists", "", "NoExecute"),
       cordoned,
       {},
       kRefused},
      {"the taint that stands for it has no value",
       pod("web").tolerates(kKey, "Equal", ""),
       cordoned,
       {},
       "fits"},
      {"a toleration of a value", pod("web").tolerates(kKey, "Equal", "yes"), cordoned, {}, kRefused},
      {"no key and Exists tolerates all", pod("web").tolerates(""), cordoned, {}, "fits"},
      {"no key and Equal compares values", pod("web").tolerates("", "Equal", ""), cordoned, {}, "fits"},
      {"comparing tolerates nothing", pod("web").tolerates(kKey, "Lt", "5"), cordoned, {}, kRefused},
      {"another key", pod("web").tolerates("node.kubernetes.io/not-ready"), cordoned, {}, kRefused},
  };
  check_plugin_verdicts("NodeUnschedulable", rows);
}

}  // namespace winnow::test
