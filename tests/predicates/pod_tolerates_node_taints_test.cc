#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("PodToleratesNodeTaints") {
  const char* const kRefused = "unresolvable: node(s) had taints that the pod didn't tolerate";
  const Node a = node("a").taint("gpu", "yes", "NoSchedule");
  const Placement rows[] = {
      {"no taints", pod("web"), node("a"), {}, "fits"},
      {"NoSchedule", pod("web"), a, {}, kRefused},
      {"NoExecute", pod("web"), node("a").taint("gpu", "", "NoExecute"), {}, kRefused},
      {"PreferNoSchedule only prefers",
       pod("web"),
       node("a").taint("gpu", "", "PreferNoSchedule"),
       {},
       "fits"},
      {"Equal", pod("web").tolerates("gpu", "Equal", "yes", "NoSchedule"), a, {}, "fits"},
      {"no operator is Equal", pod("web").tolerates("gpu", "", "yes"), a, {}, "fits"},
      {"another value", pod("web").tolerates("gpu", "Equal", "no"), a, {}, kRefused},
      {"Exists does not look at values", pod("web").tolerates("gpu", "Exists", "no"), a, {}, "fits"},
      {"another key", pod("web").tolerates("fpga"), a, {}, kRefused},
      {"another effect", pod("web").tolerates("gpu", "Exists", "", "NoExecute"), a, {}, kRefused},
      {"no effect is every effect", pod("web").tolerates("gpu", "Exists", "", ""), a, {}, "fits"},
      {"no key and Exists is every taint", pod("web").tolerates(""), a, {}, "fits"},
      {"no key and Equal compares values", pod("web").tolerates("", "Equal", "yes"), a, {}, "fits"},
      {"no key and another value", pod("web").tolerates("", "Equal", "no"), a, {}, kRefused},
      {"an unknown operator tolerates nothing", pod("web").tolerates("gpu", "Gt", "yes"), a, {}, kRefused},
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
      {"an effect that nobody knows", pod("web"), node("a").taint("gpu", "", "Never"), {}, "fits"},
  };
  check_verdicts("PodToleratesNodeTaints", rows);
}

TEST_CASE("nodes with different taints are told apart, also when taints were used before") {
  State state;
  state.set_node(node("gone").taint("old", "", "NoSchedule"));
  state.set_node(node("plain"));
  state.set_node(node("gpu").taint("gpu", "", "NoSchedule"));
  state.set_node(node("both").taint("gpu", "", "NoSchedule").taint("old", "", "NoSchedule"));
  state.remove_node("gone");
  const auto verdicts = judge("PodToleratesNodeTaints", View(state), pod("web").tolerates("gpu"));
  CHECK(verdicts.at("plain") == "fits");
  CHECK(verdicts.at("gpu") == "fits");
  CHECK(verdicts.at("both") != "fits");
}

}  // namespace winnow::test
