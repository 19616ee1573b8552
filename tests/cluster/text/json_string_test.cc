#include <doctest/doctest.h>

#include <string>

#include "cluster/text/json.h"

namespace winnow {
namespace {

TEST_CASE("the text of a raw string") {
  struct Row {
    const char* sentence;
    std::string raw;
    std::string text;
    bool valid = true;
  };
  const Row rows[] = {
      {"plain", R"("node-1")", "node-1"},
      {"an escaped hyphen", R"("node\u002d1")", "node-1"},
      {"every short escape", R"("\"\\\/\b\f\n\r\t")", "\"\\/\b\f\n\r\t"},
      {"letters of other languages", R"("näher")", "näher"},
      {"a surrogate pair", R"("\ud83d\ude00")", "\U0001f600"},
      {"an escaped NUL", R"("a\u0000b")", std::string("a\0b", 3)},
      {"an unknown escape", R"("\q")", "", false},
      {"half a surrogate pair", R"("\ud83d")", "", false},
      {"too few digits", R"("\u12")", "", false},
      {"a byte that is no UTF-8", "\"\xff\"", "", false},
      {"a character that is cut off", "\"\xe2\x80\"", "", false},
      {"a character that is cut off at the very end", "\"\xf0\x90", "", false},
      {"a number", "5", "", false},
      {"a zero byte behind it", std::string("\"\"\0 x", 5), "", false},
      {"nothing", "", "", false},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    std::string text;
    CHECK(unescape(row.raw, text) == row.valid);
    CHECK(text == row.text);
  }
}

TEST_CASE("any text can be quoted, and is the same when read again") {
  struct Row {
    const char* sentence;
    std::string text;
    std::string quoted;
  };
  const Row rows[] = {
      {"nothing", "", R"("")"},
      {"quotes and backslashes", R"(a"b\c)", R"("a\"b\\c")"},
      {"white space", "\n\r\t\b\f", R"("\n\r\t\b\f")"},
      {"other control characters", std::string("\0\x01\x1f\x1b[31m", 8), R"("\u0000\u0001\u001f\u001b[31m")"},
      {"DEL is no control character to JSON", "\x7f", "\"\x7f\""},
      {"two, three and four bytes", "é€\U0001f600", "\"é€\U0001f600\""},
      {"the first and last of each length", "\u0080\u07ff\u0800\uffff\U00010000\U0010ffff",
       "\"\u0080\u07ff\u0800\uffff\U00010000\U0010ffff\""},
      {"a byte that is no UTF-8",
       "a\xff"
       "b",
       "\"a\ufffd"
       "b\""},
      {"a lone continuation", "\x80", "\"\ufffd\""},
      {"a character that is cut off", "\xe2\x82", "\"\ufffd\ufffd\""},
      {"a character in too many bytes", "\xc0\xaf", "\"\ufffd\ufffd\""},
      {"half a surrogate pair", "\xed\xa0\x80", "\"\ufffd\ufffd\ufffd\""},
      {"beyond Unicode", "\xf4\x90\x80\x80", "\"\ufffd\ufffd\ufffd\ufffd\""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    std::string quoted;
    append_quoted(quoted, row.text);
    CHECK(quoted == row.quoted);
    std::string again;
    CHECK(unescape(quoted, again));
    if (!quoted.contains("\ufffd")) CHECK(again == row.text);
  }
}

}  // namespace
}  // namespace winnow
