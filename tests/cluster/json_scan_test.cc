#include "cluster/decode/json_scan.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace winnow {
namespace {

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

/// The whole of a text as one value; the error where it is none.
std::string scan(std::string_view text) {
  JsonScan json(text);
  const std::string value(json.value());
  return json.expect_end() ? value : json.error();
}

TEST_CASE("what is a value") {
  struct Row {
    const char* sentence;
    std::string text;
    std::string outcome;  ///< The value, or the error; "" means the text itself.
  };
  const Row rows[] = {
      {"a null", "null", ""},
      {"white space around is no part of it", " \t\r\n{ } \n", "{ }"},
      {"nested and empty containers", R"({"a":[{},[],{"b":[[]]}]})", ""},
      {"a zero", "0", ""},
      {"a minus zero", "-0", ""},
      {"a fraction and an exponent", "-12.50e+07", ""},
      {"an exponent without a sign", "1E5", ""},
      {"a leading zero is not a number", "01", "byte 0: expected a value, found '0'"},
      {"a plus is not", "+1", "byte 0: expected a value, found '+'"},
      {"a lone minus is not", "-", "byte 0: expected a value, found '-'"},
      {"a point needs a digit after it", "1.", "byte 0: expected a value, found '1'"},
      {"a point needs a digit before it", ".5", "byte 0: expected a value, found '.'"},
      {"an exponent needs a digit", "1e+", "byte 0: expected a value, found '1'"},
      {"a hexadecimal number ends early", "0x10", "byte 1: expected nothing more, found 'x'"},
      {"NaN is no number", "NaN", "byte 0: expected a value, found 'N'"},
      {"nor is Infinity", "-Infinity", "byte 0: expected a value, found '-'"},
      {"words are lower case", "True", "byte 0: expected a value, found 'T'"},
      {"a word ends where it ends", "nulls", "byte 4: expected nothing more, found 's'"},
      {"nothing at all", "", "byte 0: expected a value, found the end"},
      {"a comma too many in an array", "[1,]", "byte 3: expected a value, found ']'"},
      {"a comma too many in an object", R"({"a":1,})", "byte 7: expected a key, found '}'"},
      {"a comma too few", "[1 2]", "byte 3: expected ',' or ']', found '2'"},
      {"a key without a value", R"({"a"})", "byte 4: expected ':', found '}'"},
      {"a key that is no string", "{a:1}", "byte 1: expected a key, found 'a'"},
      {"a closer of the other kind", "[1}", "byte 2: expected ',' or ']', found '}'"},
      {"an array that does not end", "[1", "byte 2: expected ',' or ']', found the end"},
      {"a string that does not end", R"("abc)", "byte 4: expected '\"', found the end"},
      {"a string whose last quote is escaped", R"("abc\")", "byte 6: expected '\"', found the end"},
      {"an escaped backslash before the quote", R"("abc\\")", ""},
      {"three backslashes before a quote", R"("a\\\"b")", ""},
      {"nothing but backslashes", '"' + repeated("\\\\", 50) + '"', ""},
      {"brackets in strings count for nothing", R"(["[{\"]}",{"}]":"["}])", ""},
      {"a comment", "/* a */ 1", "byte 0: expected a value, found '/'"},
      {"a byte order mark", "\xef\xbb\xbf{}", "byte 0: expected a value"},
      {"a NUL is not the end", std::string("1\0", 2), "byte 1: expected nothing more"},
      {"64 levels", repeated("[", 64) + repeated("]", 64), ""},
      {"65 levels", repeated("[", 65) + repeated("]", 65), "byte 64: expected at most 64 levels, found '['"},
      {"64 levels of objects", repeated(R"({"a":)", 63) + "{}" + repeated("}", 63), ""},
      {"a million levels", repeated("[", 1'000'000), "byte 64: expected at most 64 levels, found '['"},
      {"siblings do not add up", "[" + repeated("[[]],", 1000) + "1]", ""},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(scan(row.text) == (row.outcome.empty() ? row.text : row.outcome));
  }
}

TEST_CASE("every text that is cut off is an error") {
  const std::string text = R"({"a":[1.5e3,"x\"\\y",{"b":null,"c":[]}],"d":true})";
  CHECK(scan(text) == text);
  for (std::size_t length = 0; length < text.size(); ++length) {
    CAPTURE(length);
    CHECK(scan(std::string(text, 0, length)).starts_with("byte "));
  }
}

TEST_CASE("after the first error nothing is found any more, and the error stays") {
  JsonScan json("x{}");
  CHECK_FALSE(json.expect('{'));
  const std::string error = json.error();
  CHECK(error == "byte 0: expected '{', found 'x'");
  CHECK(json.value().empty());
  CHECK(json.string().empty());
  CHECK_FALSE(json.eat('x'));
  CHECK_FALSE(json.expect_end());
  CHECK_FALSE(json.fail("something else"));
  CHECK(json.error() == error);
}

TEST_CASE("keys are compared as Go's decoder does") {
  CHECK(key_is(R"("NodeNames")", "NodeNames"));
  CHECK(key_is(R"("nodenames")", "NodeNames"));
  CHECK(key_is(R"("NODENAMES")", "NodeNames"));
  CHECK(key_is(R"("\u004eodeNames")", "NodeNames"));
  CHECK_FALSE(key_is(R"("NodeNames ")", "NodeNames"));
  CHECK_FALSE(key_is(R"("Node\qames")", "NodeNames"));
  CHECK_FALSE(key_is(R"("")", "NodeNames"));
  CHECK_FALSE(key_is("", "NodeNames"));
  CHECK_FALSE(key_is("\"", "NodeNames"));
}

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
      {"control characters", std::string("\n\0\x1f", 3), R"("\u000a\u0000\u001f")"},
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
