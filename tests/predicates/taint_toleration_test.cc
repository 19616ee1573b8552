#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("TaintToleration: which nodes fit") {
  const char* const kRefused = "unresolvable: node(s) had untolerated taint(s)";
  const Node a = node("a").taint("gpu", "8", "NoSchedule");
  const Placement rows[] = {
      {"no taints", pod("web"), node("a"), {}, "fits"},
      {"NoSchedule", pod("web"), a, {}, kRefused},
      {"NoExecute", pod("web"), node("a").taint("gpu", "", "NoExecute"), {}, kRefused},
      {"PreferNoSchedule only prefers",
       pod("web"),
       node("a").taint("gpu", "", "PreferNoSchedule"),
       {},
       "fits"},
      {"an effect that nobody knows", pod("web"), node("a").taint("gpu", "", "Never"), {}, "fits"},
      {"Equal", pod("web").tolerates("gpu", "Equal", "8", "NoSchedule"), a, {}, "fits"},
      {"no operator is Equal", pod("web").tolerates("gpu", "", "8"), a, {}, "fits"},
      {"another value", pod("web").tolerates("gpu", "Equal", "9"), a, {}, kRefused},
      {"Exists does not look at values", pod("web").tolerates("gpu", "Exists", "9"), a, {}, "fits"},
      {"another key", pod("web").tolerates("fpga"), a, {}, kRefused},
      {"another effect", pod("web").tolerates("gpu", "Exists", "", "NoExecute"), a, {}, kRefused},
      {"no effect is every effect", pod("web").tolerates("gpu", "Exists", "", ""), a, {}, "fits"},
      {"no key and Exists is every taint", pod("web").tolerates(""), a, {}, "fits"},
      {"no key and Equal compares values", pod("web").tolerates("", "Equal", "8"), a, {}, "fits"},
      {"no key and another value", pod("web").tolerates("", "Equal", "9"), a, {}, kRefused},
      {"8 > 7, but comparing is off", pod("web").tolerates("gpu", "Gt", "7"), a, {}, kRefused},
      {"8 < 9, but comparing is off", pod("web").tolerates("gpu", "Lt", "9"), a, {}, kRefused},
      {"an operator that nobody knows", pod("web").tolerates("gpu", "exists"), a, {}, kRefused},
      {"two untolerated taints are one reason",
       pod("web"),
       node("a").taint("gpu", "", "NoSchedule").taint("spot", "", "NoExecute"),
       {},
       kRefused},
      {"every taint must be tolerated",
       pod("web").tolerates("gpu"),
       node("a").taint("gpu", "", "NoSchedule").taint("spot", "", "NoExecute"),
       {},
       kRefused},
      {"by one toleration each",
       pod("web").tolerates("gpu").tolerates("spot"),
       node("a").taint("gpu", "", "NoSchedule").taint("spot", "", "NoExecute"),
       {},
       "fits"},
  };
  check_plugin_verdicts("TaintToleration", rows);
}

}  // namespace winnow::test
