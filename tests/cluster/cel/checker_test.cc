#include "cluster/cel/checker.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "tests/cluster/cel/evaluate.h"

namespace winnow::cel {
namespace {

struct CheckerRow {
  const char* sentence;
  std::string text;
  std::string_view error;
};

}  // namespace

TEST_CASE("what is wrong with an expression is told with its place") {
  const CheckerRow rows[] = {
      {"a name that is not declared", "1 + a", "1:5: undeclared reference to 'a'"},
      {"the near name is there", "s.startWith('a')",
       "1:12: undeclared reference to 'startWith' (did you mean \"startsWith\"?)"},
      {"the second line counts", "1 +\n  'a'",
       "1:3: found no matching overload for '_+_' applied to '(int, string)'"},
      {"a member call is at its bracket", "s.charAt('a')",
       "1:9: found no matching overload for 'charAt' applied to 'string.(string)'"},
      {"a mixed list", "[1, 'a']", "1:5: expected type 'int' but found 'string'"},
      {"a mixed list with dyn", "[1, dyn('a')]", "1:8: expected type 'int' but found 'dyn'"},
      {"an int has no fields", "i.a", "1:2: type 'int' does not support field selection"},
      {"a loop over an int", "i.all(x, true)",
       "1:1: expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)"},
      {"a duration that is none", "duration('1 hour')", "1:10: invalid duration argument"},
      {"a regular expression that is none", "s.matches('(')", "1:11: invalid matches argument"},
      {"a conversion that fails", "int('x')", "1:4: type conversion error from 'string' to 'int'"},
      {"a format with too few arguments", "'%s %s'.format(['a'])", "1:15: index 1 out of range"},
      {"a format that does not fit", "'%d'.format(['a'])",
       "1:14: error during formatting: the decimal clause cannot format the type string"},
      {"no expression", "", "1:1: Syntax error: the expression ends too early"},
      {"half an expression", "1 +", "1:4: Syntax error: the expression ends too early"},
      {"a bracket too many", "(1))", "1:4: Syntax error: unexpected \")\""},
      {"a string without an end", "1 + 'a", "1:5: Syntax error: token recognition error at: \"'a\""},
      {"a reserved word", "1 + while", "1:5: reserved identifier: while"},
      {"an int that is too large", "9223372036854775808", "1:1: invalid int literal"},
      {"has of something else", "has(s)", "1:5: invalid argument to has() macro"},
      {"a loop variable that is no name", "[1].all(1, true)", "1:9: argument must be a simple name"},
      {"a value that has the name of a type's", "cel.bind(x, int, x)", "1:9: reference to undefined type: x"},
  };
  for (const CheckerRow& row : rows) {
    CAPTURE(row.sentence);
    CAPTURE(row.text);
    CHECK(compile_error(row.text) == row.error);
  }
}

TEST_CASE("an expression has bounds") {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '(') + "1" + std::string(depth, ')');
  };
  const auto chained = [](std::size_t count) {
    std::string text = "1";
    for (std::size_t i = 0; i < count; ++i) text += " + 1";
    return text;
  };
  CHECK(compile_error(nested(249)).empty());
  CHECK(compile_error(nested(250)) == "expression recursion limit exceeded: 250");
  CHECK(compile_error(chained(250)).empty());
  CHECK(compile_error(chained(251)) == "max recursion depth exceeded");
  CHECK(compile_error(std::string(100'001, ' ')).starts_with("expression code point size exceeds limit"));
}

TEST_CASE("the result has a type") {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"1 + 1", "int"},
      {"[1, 2].map(x, string(x))", "list(string)"},
      {"{'a': [1.5]}", "map(string, list(double))"},
      {"[]", "list(dyn)"},
      {"d.a.b", "dyn"},
      {"m.?a", "optional_type(int)"},
      {"true ? 1 : dyn('a')", "dyn"},
      {"type(1)", "type(int)"},
      {"quantity('1')", "kubernetes.Quantity"},
      {"timestamp(0) - timestamp(1)", "duration"},
  };
  for (const auto& [text, type] : rows) {
    CAPTURE(text);
    const auto program = Program::compile(text, test_environment());
    REQUIRE(program.has_value());
    CHECK(program->result_type().text() == type);
  }
}

}  // namespace winnow::cel
