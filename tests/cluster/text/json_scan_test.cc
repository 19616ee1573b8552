#include "cluster/text/json_scan.h"

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

}  // namespace
}  // namespace winnow
