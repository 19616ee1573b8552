#include <doctest/doctest.h>

#include <string>

#include "cluster/text/go_format.h"

using winnow::go_quote;

TEST_CASE("text is quoted as Go's %q prints it") {
  CHECK(go_quote("") == R"("")");
  CHECK(go_quote("web-1") == R"("web-1")");
  CHECK(go_quote("a\"b\\c") == R"("a\"b\\c")");
  CHECK(go_quote("\t\n\x01\x7f") == R"("\t\n\x01\x7f")");
  CHECK(go_quote("größe €") == R"("größe €")");
  CHECK(go_quote("o\x9e"
                 "m") == R"("o\x9em")");
  CHECK(go_quote("\xe2\x82") == R"("\xe2\x82")");
}

TEST_CASE("a quoted text does not steer a display, as in Go") {
  CHECK(go_quote(std::string("\0\x1b[2J", 5)) == R"("\x00\x1b[2J")");
  CHECK(go_quote("\u0080\u0085\u009f") == R"("\u0080\u0085\u009f")");
  CHECK(go_quote("a\u202eb\u2066c\u061c") == R"("a\u202eb\u2066c\u061c")");
  CHECK(go_quote("\u2028\u2029") == R"("\u2028\u2029")");
  CHECK(go_quote("\u200b\ufeff\U000e0041") == R"("\u200b\ufeff\U000e0041")");
}

TEST_CASE("of a long text the start is quoted") {
  CHECK(go_quote(std::string(317, 'x')) == '"' + std::string(317, 'x') + '"');
  CHECK(go_quote(std::string(7'000'000, 'x')) == '"' + std::string(317, 'x') + "\"…");
  CHECK(go_quote("ééé", 3) == "\"é\"…");
}
