#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("ResourceLimitsPriority") {
  const Node small = node("small").cpu("1").memory("1Gi");
  const Node large = node("large").cpu("4").memory("8Gi");
  const Ranking rows[] = {
      {"no limits are met nowhere", pod("p").cpu("1"), {small, large}, {}, {{"small", 0}, {"large", 0}}},
      {"a limit of 0 is none", pod("p").limit("cpu", "0"), {small, large}, {}, {{"small", 0}, {"large", 0}}},
      {"a limit that just fits",
       pod("p").limit("cpu", "1"),
       {small, large},
       {},
       {{"small", 1}, {"large", 1}}},
      {"a limit just too large",
       pod("p").limit("cpu", "1001m"),
       {small, large},
       {},
       {{"small", 0}, {"large", 1}}},
      {"one of the two is enough",
       pod("p").limit("cpu", "100").limit("memory", "1Gi"),
       {small, large},
       {},
       {{"small", 1}, {"large", 1}}},
      {"containers add up: 600m + 600m",
       pod("p").container("a").limit("cpu", "600m").container("b").limit("cpu", "600m"),
       {small, large},
       {},
       {{"small", 0}, {"large", 1}}},
      {"an init container raises, it does not add",
       pod("p").limit("cpu", "600m").init("i").limit("cpu", "1"),
       {small, large},
       {},
       {{"small", 1}, {"large", 1}}},
      {"memory in thousandths rounds up",
       pod("p").limit("memory", "1073741823500m"),
       {small, large},
       {},
       {{"small", 1}, {"large", 1}}},
      {"pods that run do not matter",
       pod("p").limit("cpu", "1"),
       {small},
       {pod("other").cpu("1").on("small")},
       {{"small", 1}}},
      {"a node that offers nothing", pod("p").limit("cpu", "-1"), {node("none")}, {}, {{"none", 0}}},
      {"other resources do not matter",
       pod("p").limit("example.com/gpu", "1"),
       {node("gpu").offers("example.com/gpu", "4")},
       {},
       {{"gpu", 0}}},
  };
  check_scores("ResourceLimitsPriority", rows);
}

TEST_CASE("ResourceLimitsPriority counts limits as today's scheduler does, unless ExactV116") {
  const Node node = test::node("n").cpu("1");
  const Pod sidecar = pod("p").limit("cpu", "600m").sidecar("s").limit("cpu", "600m");
  const Pod level = pod("p").limit("cpu", "2");
  Pod with_level = level;
  with_level.spec.resources.emplace().limits["cpu"] = quantity("1");
  const Pod overhead = pod("p").limit("cpu", "1").overhead("cpu", "1m");
  const Pod no_limit = pod("p").overhead("cpu", "1");
  const Ranking today[] = {{"a sidecar's limit adds", sidecar, {node}, {}, {{"n", 0}}},
                           {"the pod's own limit counts instead", with_level, {node}, {}, {{"n", 1}}},
                           {"overhead is added to a limit", overhead, {node}, {}, {{"n", 0}}},
                           {"overhead alone is no limit", no_limit, {node}, {}, {{"n", 0}}}};
  check_scores("ResourceLimitsPriority", today, kDefaults);
  const Ranking exact[] = {{"a sidecar is an init container", sidecar, {node}, {}, {{"n", 1}}},
                           {"nobody knows pod-level limits", with_level, {node}, {}, {{"n", 0}}},
                           {"nor overhead", overhead, {node}, {}, {{"n", 1}}}};
  check_scores("ResourceLimitsPriority", exact, kExact);
}

}  // namespace winnow::test
