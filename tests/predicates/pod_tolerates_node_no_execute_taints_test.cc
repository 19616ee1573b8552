#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("PodToleratesNodeNoExecuteTaints") {
  const char* const kRefused = "unresolvable: node(s) had taints that the pod didn't tolerate";
  const Node a = node("a").taint("spot", "", "NoExecute");
  const Placement rows[] = {
      {"no taints", pod("web"), node("a"), {}, "fits"},
      {"NoExecute", pod("web"), a, {}, kRefused},
      {"NoSchedule is another rule's", pod("web"), node("a").taint("gpu", "", "NoSchedule"), {}, "fits"},
      {"PreferNoSchedule", pod("web"), node("a").taint("gpu", "", "PreferNoSchedule"), {}, "fits"},
      {"tolerated", pod("web").tolerates("spot"), a, {}, "fits"},
      {"tolerated for another effect",
       pod("web").tolerates("spot", "Exists", "", "NoSchedule"),
       a,
       {},
       kRefused},
      {"NoExecute behind NoSchedule",
       pod("web"),
       node("a").taint("gpu", "", "NoSchedule").taint("spot", "", "NoExecute"),
       {},
       kRefused},
  };
  check_verdicts("PodToleratesNodeNoExecuteTaints", rows);
}

}  // namespace winnow::test
