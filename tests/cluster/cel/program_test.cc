#include "cluster/cel/program.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "tests/cluster/cel/evaluate.h"

namespace winnow::cel {
namespace {

struct ProgramRow {
  const char* sentence;
  std::string_view expression;
  std::string_view value;
  std::uint64_t cost;
};

template <std::size_t size>
void check_rows(const ProgramRow (&rows)[size]) {
  for (const ProgramRow& row : rows) {
    CAPTURE(row.sentence);
    CAPTURE(row.expression);
    const Outcome outcome = outcome_of(row.expression);
    CHECK(outcome.text == row.value);
    CHECK(outcome.cost == row.cost);
  }
}

}  // namespace

TEST_CASE("operators compute as cel-go's do, and cost as much") {
  check_rows({
      {"a sum costs one", "1 + 2", "3", 1},
      {"a variable costs one", "i + 2", "9", 2},
      {"products come before sums", "1 + 2 * 3", "7", 2},
      {"the smallest int is a literal", "-9223372036854775808", "-9223372036854775808", 0},
      {"a sum that is too large is an error", "9223372036854775807 + 1", "integer overflow", 1},
      {"so is a negative uint", "1u - 2u", "unsigned integer overflow", 1},
      {"an int divided by zero is an error", "i / 0", "division by zero", 2},
      {"a double divided by zero is infinite", "1.0 / 0.0", "double(\"Infinity\")", 1},
      {"a remainder has the sign of the dividend", "-7 % 3", "-1", 1},
      {"the remainder of the smallest int by -1 overflows", "-9223372036854775808 % -1", "integer overflow",
       1},
      {"two minus signs cancel each other", "--i", "7", 1},
      {"numbers of different types are equal", "dyn(1) == 1.0", "true", 1},
  });
}

TEST_CASE("an error counts only if nothing else decides") {
  check_rows({
      {"true || error is true", "true || 1 / 0 == 1", "true", 0},
      {"error || true is true", "i / 0 == 1 || true", "true", 3},
      {"error || false is the error", "i / 0 == 1 || false", "division by zero", 3},
      {"false && error is false", "false && i / 0 == 1", "false", 0},
      {"error && false is false", "i / 0 == 1 && false", "false", 3},
      {"a condition evaluates one branch", "true ? i : 1 / 0", "7", 0},
      {"a condition that fails fails", "(1 / 0 == 1) ? 1 : 2", "division by zero", 2},
      {"exists absorbs what all others decide", "[0, 1].exists(x, 1 / x == 1)", "true", 15},
  });
}

TEST_CASE("macros and their costs") {
  check_rows({
      {"map makes a list", "[1, 2, 3].map(x, x * 2)", "[2, 4, 6]", 43},
      {"filter keeps some", "l.filter(x, x > 1)", "[3, 2]", 34},
      {"has asks for a key", "has({'a': 1}.a)", "true", 1},
      {"all of nothing is true", "[].all(x, x > 0)", "true", 1},
      {"exists_one counts", "[1, 2, 2].exists_one(x, x == 2)", "false", 12},
      {"cel.bind names a value", "cel.bind(x, i + 1, x * x)", "64", 5},
      {"a bound value that is not read is not computed", "cel.bind(x, 1 / 0, 5)", "5", 0},
      {"two variables", "['a', 'b'].all(k, v, v != 'c' && k < 2)", "true", 15},
      {"a map is transformed", "{'a': 1}.transformMap(k, v, v + 1)", "{\"a\": 2}", 6},
      {"optMap computes with what is there", "optional.of(1).optMap(x, x + 1)", "optional.of(2)", 7},
  });
}

TEST_CASE("selections") {
  check_rows({
      {"a key that is missing is an error", "{'a': 1}.b", "no such key: b", 2},
      {"an optional selection is none then", "{'a': 1}.?b", "optional.none()", 1},
      {"an index out of range is an error", "[1][1]", "index out of bounds: 1", 2},
      {"an optional index has a value", "[1][?0]", "optional.of(1)", 2},
      {"a double is an index if it is whole", "l[dyn(1.0)]", "1", 2},
      {"a variable may have a dot in its name", "pod.name + '!'", "\"web!\"", 2},
      {"orValue takes the other value", "{'a': 1}.?b.orValue(3)", "3", 1},
      {"optional entries of a list are left out", "[?{'a': 1}.?b, 2]", "[2]", 11},
  });
}

TEST_CASE("functions of the libraries") {
  check_rows({
      {"a regular expression", "s.matches('^t.*t$')", "true", 3},
      {"characters are counted", "size('äöü')", "3", 1},
      {"a format has clauses", "'%s %d %.1f'.format(['a', 1, 1234.56])", "\"a 1 1,234.6\"", 1},
      {"a list is sorted", "['b', 'a'].sort()", "[\"a\", \"b\"]", 19},
      {"sortBy sorts by keys", "[1, 3, 2].sortBy(x, -x)", "[3, 2, 1]", 74},
      {"a quantity is compared", "quantity('40Gi').compareTo(quantity('80Gi'))", "-1", 3},
      {"quantities of other units may be equal", "quantity('1k') == quantity('1000')", "true", 3},
      {"a version is compared", "semver('1.2.0').isGreaterThan(semver('1.1.9'))", "true", 3},
      {"an address has a family", "ip('::1').family()", "6", 2},
      {"a network contains an address", "cidr('10.0.0.0/8').containsIP('10.1.2.3')", "true", 3},
      {"a timestamp has hours in a zone", "timestamp('2026-01-31T12:00:00Z').getHours('02:00')", "14", 1},
      {"durations are added", "duration('1h') + duration('30m')", "duration(\"5400s\")", 1},
      {"a named format tells what is wrong", "format.labelValue().validate('a').hasValue()", "false", 12},
      {"findAll finds what does not overlap", "'a1b22'.findAll('[0-9]+')", "[\"1\", \"22\"]", 2},
      {"includes takes a value for a list of it", "s.includes('text')", "true", 1},
  });
}

TEST_CASE("an evaluation ends at its limits") {
  EvaluationLimits limits{.cost = 100};
  const auto program =
      Program::compile("[1, 2, 3, 4, 5, 6, 7, 8].all(x, [1, 2, 3].all(y, x + y > 0))", test_environment());
  REQUIRE(program.has_value());
  const std::vector<Value> values = test_values();
  const Evaluation ended = program->evaluate(values, limits);
  CHECK(ended.cost_exceeded);
  CHECK(ended.value.message() == "operation cancelled: actual cost limit exceeded");
  CHECK(ended.cost == 101);
  int asked = 0;
  limits = {.interrupted = [](void* context) { return ++*static_cast<int*>(context) == 5; },
            .context = &asked};
  const Evaluation interrupted = program->evaluate(values, limits);
  CHECK(interrupted.interrupted);
  CHECK(asked == 5);
  CHECK(program->evaluate(values).value.is_true());
}

TEST_CASE("what doubles itself ends") {
  std::string text = "'0123456789'";
  std::string list = "[1, 2]";
  for (int i = 0; i < 40; ++i) {
    text = "cel.bind(x, " + text + ", x + x)";
    list = "cel.bind(x, " + list + ", x + x)";
  }
  CHECK(outcome_of("size(" + text + ")").text == "a text is too long");
  CHECK(outcome_of("size(" + list + ")").text == "a list is too long");
  std::string optional = "optional.of(1)";
  for (int i = 0; i < 40; ++i) optional += ".optMap(x, x)";
  CHECK(compile_error(optional).ends_with("the expression is too large with its macros expanded"));
}

TEST_CASE("what costs too much is not computed") {
  struct Attack {
    const char* sentence;
    std::string_view expression;
    std::string_view value;
  };
  constexpr std::string_view kOver = "operation cancelled: actual cost limit exceeded";
  const Attack attacks[] = {
      {"quadratic work", "lists.range(900000).distinct().size() > 0", kOver},
      {"the product of two lists", "sets.equivalent(lists.range(400000), lists.range(400000))", kOver},
      {"a cost beyond all numbers", "[[1], [2]].flatten(9223372036854775807).size() > 0", kOver},
      {"a list that is added to itself does not hold itself",
       "optional.of(dyn([])).optMap(a, (a + [a]) == a)", "optional.of(false)"},
      {"its nesting is what it seems", "optional.of(dyn([])).optMap(a, (a + [a]).flatten(1000))",
       "optional.of([])"},
      {"a text in a text is found in linear time",
       "cel.bind(x, 'aaaaaaaaaa'.replace('', 'aaaaaaaaaa'), cel.bind(y, x.replace('', x), "
       "y.indexOf(y.substring(0, 5000) + 'b')))",
       "-1"},
  };
  for (const Attack& attack : attacks) {
    CAPTURE(attack.sentence);
    CHECK(outcome_of(attack.expression, {.cost = 1'000'000}).text == attack.value);
  }
}

}  // namespace winnow::cel
