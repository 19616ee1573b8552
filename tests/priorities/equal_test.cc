#include <doctest/doctest.h>

#include "tests/ask.h"
#include "tests/builders.h"

namespace winnow::test {

TEST_CASE("EqualPriority") {
  const Ranking rows[] = {
      {"1 for every node", pod("web"), {node("a"), node("b").cpu("1")}, {}, {{"a", 1}, {"b", 1}}}};
  check_scores("EqualPriority", rows);
}

}  // namespace winnow::test
