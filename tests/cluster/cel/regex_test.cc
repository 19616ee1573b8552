#include "cluster/cel/regex.h"

#include <doctest/doctest.h>

#include <string_view>
#include <vector>

namespace winnow::cel {

TEST_CASE("matches are those that Go's regexp finds") {
  struct RegexRow {
    const char* sentence;
    std::string_view pattern;
    std::string_view text;
    std::vector<std::string_view> matches;
  };
  const RegexRow rows[] = {
      {"from the left", "[a-z]+", "ab 1 cd", {"ab", "cd"}},
      {"an empty pattern matches between all characters", "", "aä", {"", "", ""}},
      {"no empty match right behind another", "a*", "baab", {"", "aa", ""}},
      {"the start of the text is there once", "^a", "aaa", {"a"}},
      {"none", "x", "aaa", {}},
  };
  for (const RegexRow& row : rows) {
    CAPTURE(row.sentence);
    const Regex regex(row.pattern);
    REQUIRE(regex.error().empty());
    CHECK(regex.find_all(row.text, -1) == row.matches);
    CHECK(regex.find(row.text) == (row.matches.empty() ? "" : row.matches.front()));
    CHECK(regex.matches(row.text) == !row.matches.empty());
  }
  CHECK(Regex("a").find_all("aaa", 2).size() == 2);
  CHECK(Regex("a").find_all("aaa", 0).empty());
  CHECK(Regex("(").error().starts_with("error parsing regexp: "));
}

}  // namespace winnow::cel
