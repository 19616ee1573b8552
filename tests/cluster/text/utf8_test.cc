#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "cluster/text/characters.h"

namespace winnow {
namespace {

constexpr std::size_t kNone = std::string_view::npos;

TEST_CASE("a character is well formed, or none") {
  struct Row {
    const char* sentence;
    std::string text;
    std::size_t length;
    char32_t code = 0;
  };
  const Row rows[] = {
      {"the first of one byte", std::string(1, '\0'), 1, 0},
      {"the last of one byte", "\x7f", 1, 0x7f},
      {"the first of two bytes", "\u0080", 2, 0x80},
      {"the last of two bytes", "\u07ff", 2, 0x7ff},
      {"the first of three bytes", "\u0800", 3, 0x800},
      {"the last before the surrogates", "\ud7ff", 3, 0xd7ff},
      {"the first behind the surrogates", "\ue000", 3, 0xe000},
      {"the last of three bytes", "\uffff", 3, 0xffff},
      {"the first of four bytes", "\U00010000", 4, 0x10000},
      {"the last of all", "\U0010ffff", 4, 0x10ffff},
      {"a lone continuation", "\x80", 0},
      {"a slash in two bytes", "\xc0\xaf", 0},
      {"a letter in two bytes", "\xc1\xbf", 0},
      {"two bytes' character in three", "\xe0\x9f\xbf", 0},
      {"three bytes' character in four", "\xf0\x8f\xbf\xbf", 0},
      {"the first surrogate", "\xed\xa0\x80", 0},
      {"the last surrogate", "\xed\xbf\xbf", 0},
      {"beyond Unicode", "\xf4\x90\x80\x80", 0},
      {"a byte that begins nothing", "\xf5\x80\x80\x80", 0},
      {"cut off at the end", "\xe2\x80", 0},
      {"cut off by a letter", "\xe2\x80z", 0},
      {"the fourth byte is none", "\xf0\x90\x80z", 0},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(utf8_length(row.text, 0) == row.length);
    CHECK(utf8_length("ab" + row.text, 2) == row.length);
    if (row.length > 0) CHECK(utf8_code(row.text) == row.code);
    // Wherever it stands among the eight bytes that are looked at together.
    for (std::size_t before = 0; before < 20; ++before)
      for (const std::size_t behind : {0, 1, 7, 8, 20}) {
        const std::string text = std::string(before, 'x') + row.text + std::string(behind, 'x');
        CHECK(find_not_utf8(text) == (row.length > 0 ? kNone : before));
      }
  }
  CHECK(find_not_utf8("") == kNone);
}

TEST_CASE("a beginning does not end within a character") {
  struct Row {
    std::string_view text;
    std::size_t bytes;
    std::string_view prefix;
  };
  const Row rows[] = {
      {"abc", 3, "abc"}, {"abc", 2, "ab"}, {"abc", 0, ""}, {"aé", 2, "a"},
      {"aéb", 3, "aé"},  {"€", 1, ""},     {"€", 2, ""},   {"€b", 3, "€"},
      {"😀", 3, ""},     {"a😀", 4, "a"},  {"", 5, ""},    {"\x80\x80\x80\x80\x80", 4, "\x80\x80\x80\x80"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CAPTURE(row.bytes);
    CHECK(utf8_prefix(row.text, row.bytes) == row.prefix);
    const std::string end = row.prefix.size() < row.text.size() ? "…" : "";
    CHECK(utf8_shortened(row.text, row.bytes) == std::string(row.prefix) + end);
  }
}

}  // namespace
}  // namespace winnow
