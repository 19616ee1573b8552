#include <doctest/doctest.h>

#include <cctype>
#include <string>

#include "cluster/text/characters.h"

namespace winnow {
namespace {

TEST_CASE("bytes are what the C locale has them for") {
  for (int byte = 0; byte < 256; ++byte) {
    CAPTURE(byte);
    const char c = static_cast<char>(byte);
    CHECK(is_digit(c) == (std::isdigit(byte) != 0));
    CHECK(is_lower(c) == (std::islower(byte) != 0));
    CHECK(is_upper(c) == (std::isupper(byte) != 0));
    CHECK(is_alphanumeric(c) == (std::isalnum(byte) != 0));
    CHECK(is_control(c) == (std::iscntrl(byte) != 0));
    CHECK(lower(c) == static_cast<char>(std::tolower(byte)));
  }
}

TEST_CASE("texts that differ in case only") {
  CHECK(equal_but_for_case("Content-Length", "content-LENGTH"));
  CHECK(equal_but_for_case("", ""));
  CHECK_FALSE(equal_but_for_case("a", "ab"));
  CHECK_FALSE(equal_but_for_case("[", "{"));
  CHECK_FALSE(equal_but_for_case("É", "é"));
}

TEST_CASE("blanks are taken off both ends") {
  CHECK(trim("  a b ", " ") == "a b");
  CHECK(trim("a", " ") == "a");
  CHECK(trim(" \t", " \t").empty());
  CHECK(trim("", " ").empty());
  CHECK(trim("\r\n a\tb\v\f") == "a\tb");
  CHECK(trim("/x/", "/") == "x");
}

}  // namespace
}  // namespace winnow
