// What of a pod's fields has no effect: selectors for pods that find none.
#include "extender/explain/remarks.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "tests/builders.h"

namespace winnow::test {
namespace {

TEST_CASE("selectors that find no pod are told, with what may have been meant") {
  State state({.generation = Generation::kToday});
  state.set_node(node("a").cpu("4").pods("110"));
  state.set_pod(pod("one").on("a").label("app", "recommend"));
  state.set_pod(pod("two").label("app", "waits"));
  const std::string missing = "no pod in namespace default has app=recomend (did you mean \"recommend\"?)";
  struct Row {
    std::string sentence;
    Pod pod;
    std::vector<std::string> lines;
  };
  const Row rows[] = {
      {"a spread by a misspelt label",
       pod("x").label("app", "recommend").spreads("zone", selects({{"app", "recomend"}})),
       {"the spread over zone counts no pod: " + missing}},
      {"one that need not hold",
       pod("x").spreads("zone", selects({{"app", "recomend"}}), 1, /*hard=*/false),
       {"the spread over zone counts no pod: " + missing}},
      {"a spread that counts others", pod("x").spreads("zone", selects({{"app", "recommend"}})), {}},
      {"the first of its kind", pod("x").label("app", "new").spreads("zone", selects({{"app", "new"}})), {}},
      {"others that wait", pod("x").spreads("zone", selects({{"app", "waits"}})), {}},
      {"a wish to be near",
       pod("x").likes(5, pods_with({{"app", "recomend"}}, "zone")),
       {"preferred podAffinity by zone meets no pod: " + missing}},
      {"a term that keeps away",
       pod("x").avoids(pods_with({{"app", "recomend"}}, "zone")),
       {"podAntiAffinity by zone meets no pod: " + missing}},
      {"required affinity, whose refusals say so",
       pod("x").joins(pods_with({{"app", "recomend"}}, "zone")),
       {}},
      {"a plain pod", pod("x"), {}},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(remarks_on(View(state), row.pod) == row.lines);
  }
}

}  // namespace
}  // namespace winnow::test
