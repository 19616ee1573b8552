#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("CheckNodeUnschedulable") {
  const std::string key = "node.kubernetes.io/unschedulable";
  const char* const kRefused = "unresolvable: node(s) were unschedulable";
  const Node cordoned = node("a").cordoned();
  const Placement rows[] = {
      {"open", pod("web"), node("a"), {}, "fits"},
      {"cordoned", pod("web"), cordoned, {}, kRefused},
      {"the taint alone is another rule's", pod("web"), node("a").taint(key, "", "NoSchedule"), {}, "fits"},
      {"tolerated by key", pod("web").tolerates(key), cordoned, {}, "fits"},
      {"tolerated by key and effect",
       pod("web").tolerates(key, "Exists", "", "NoSchedule"),
       cordoned,
       {},
       "fits"},
      {"another effect", pod("web").tolerates(key, "Exists", "", "NoExecute"), cordoned, {}, kRefused},
      {"everything tolerated", pod("web").tolerates(""), cordoned, {}, "fits"},
      {"Equal to the empty value", pod("web").tolerates(key, "Equal", ""), cordoned, {}, "fits"},
      {"no operator is Equal", pod("web").tolerates(key, "", "true"), cordoned, {}, kRefused},
      {"another key", pod("web").tolerates("gpu"), cordoned, {}, kRefused},
  };
  check_verdicts("CheckNodeUnschedulable", rows);
}

}  // namespace winnow::test
