#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("NodeResourceLimits: 1 where one of the pod's limits is met") {
  const Node small = node("small").cpu("1").memory("1Gi");
  const Node large = node("large").cpu("4").memory("8Gi");
  const Ranking rows[] = {
      {"no limits are met nowhere", pod("p").cpu("1"), {small, large}, {}, {{"small", 0}, {"large", 0}}},
      {"a limit that the large one meets",
       pod("p").limit("cpu", "1001m"),
       {small, large},
       {},
       {{"small", 0}, {"large", 1}}},
      {"one of the two is enough",
       pod("p").limit("cpu", "100").limit("memory", "1Gi"),
       {small, large},
       {},
       {{"small", 1}, {"large", 1}}},
  };
  check_plugin_scores("NodeResourceLimits", rows);
}

}  // namespace winnow::test
