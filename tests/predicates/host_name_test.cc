#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("HostName") {
  const Placement rows[] = {
      {"the pod names no node", pod("web"), node("a"), {}, "fits"},
      {"this one", pod("web").on("a"), node("a"), {}, "fits"},
      {"another",
       pod("web").on("b"),
       node("a"),
       {},
       "unresolvable: node(s) didn't match the requested hostname"},
      {"the label is not the name",
       pod("web").on("b"),
       node("a").label("kubernetes.io/hostname", "b"),
       {},
       "unresolvable: node(s) didn't match the requested hostname"},
  };
  check_verdicts("HostName", rows);
}

TEST_CASE("HostName tells nodes apart") {
  State state;
  for (const char* name : {"a", "b", "c"}) state.set_node(node(name));
  const auto verdicts = judge("HostName", View(state), pod("web").on("b"));
  CHECK(verdicts.at("b") == "fits");
  CHECK(verdicts.at("a") == verdicts.at("c"));
  CHECK(verdicts.at("a") != "fits");
}

}  // namespace winnow::test
