#include <doctest/doctest.h>

#include <string>

#include "cluster/text/characters.h"

namespace winnow {
namespace {

TEST_CASE("what may be shown has nothing that steers a terminal") {
  struct Row {
    const char* sentence;
    std::string text;
    std::string shown;
  };
  const Row rows[] = {
      {"letters of any language stay", "é…😀", "é…😀"},
      {"white space becomes blanks", "a\tb\nc\r\v\fd", "a b c   d"},
      {"an escape sequence loses its start", "\x1b[31mred", "\ufffd[31mred"},
      {"NUL and DEL", std::string("\0\x7f", 2), "\ufffd\ufffd"},
      {"the second set of controls", "\u0080\u009f\u00a0", "\ufffd\ufffd\u00a0"},
      {"a turn of the direction", "a\u202eb\u2066c", "a\ufffdb\ufffdc"},
      {"line and paragraph separators", "\u2028\u2029", "\ufffd\ufffd"},
      {"what is not seen", "a\u200bb\ufeffc\U000e0041", "a\ufffdb\ufffdc\ufffd"},
      {"bytes that are no UTF-8", "a\xff\xe2\x80z", "a\ufffd\ufffd\ufffdz"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(printable(row.text) == row.shown);
  }
}

TEST_CASE("what a server wrote fits one line") {
  CHECK(one_line("a\nb\x1b\x7f") == "a b\ufffd\ufffd");
  CHECK(one_line(std::string(300, 'x')) == std::string(300, 'x'));
  CHECK(one_line(std::string(1000, 'x')) == std::string(300, 'x') + "…");
  // A character that 300 bytes would cut in two is left out.
  CHECK(one_line(std::string(299, 'x') + "éé") == std::string(299, 'x') + "…");
  CHECK(one_line(std::string(298, 'x') + "éé") == std::string(298, 'x') + "é…");
  // A replacement is longer than the byte that it stands for.
  CHECK(one_line("\x7f\x7f", 6) == "\ufffd\ufffd");
  CHECK(one_line("\x7f\x7f", 5) == "\ufffd…");
}

}  // namespace
}  // namespace winnow
