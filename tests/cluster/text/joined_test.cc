#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "cluster/text/words.h"

namespace winnow::test {
namespace {

TEST_CASE("lists of words are joined") {
  struct Row {
    const char* sentence;
    std::vector<std::string> texts;
    const char* list;
    const char* with_and;
  };
  const Row rows[] = {
      {"none", {}, "", ""},
      {"one", {"a"}, "a", "a"},
      {"two", {"a", "b"}, "a, b", "a and b"},
      {"three", {"a", "b", "c"}, "a, b, c", "a, b and c"},
      {"texts that are empty, the first too", {"", "b", ""}, ", b, ", ", b and "},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(joined(row.texts) == row.list);
    CHECK(joined_and(row.texts) == row.with_and);
  }
  CHECK(joined(std::vector<std::string>{"a", "b"}, "; ") == "a; b");
}

}  // namespace
}  // namespace winnow::test
