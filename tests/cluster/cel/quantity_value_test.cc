#include "cluster/cel/quantity_value.h"

#include <doctest/doctest.h>

#include <cmath>
#include <compare>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "cluster/api/quantity.h"

namespace winnow::cel {
namespace {

QuantityValue quantity(const std::string& text) {
  const auto parsed = QuantityValue::parse(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("a quantity keeps the digits and the scale it was written with") {
  struct QuantityValueRow {
    const char* sentence;
    std::string text;
    std::string canonical;  ///< Empty where upstream gives an error.
    std::optional<std::int64_t> integer;
  };
  const QuantityValueRow rows[] = {
      {"units are an integer", "40", "4e1", 40},
      {"a binary suffix is one", "40Gi", "4294967296e1", 42949672960},
      {"a decimal suffix is one", "5k", "5e3", 5000},
      {"a whole number of thousandths is none", "1000m", "1e0", std::nullopt},
      {"a whole number with a fraction is none", "1.0", "1e0", std::nullopt},
      {"a fraction of a large suffix is one", "1.5k", "15e2", 1500},
      {"a number that does not fit is none", "10E", "1e19", std::nullopt},
      {"a number of 19 digits is a big decimal", "1000000000000000000", "1e18", std::nullopt},
      {"a fraction of Gi is a big decimal", "1.5Gi", "1610612736e0", std::nullopt},
      {"more digits than nanos round up", "0.0000000001", "1e-9", std::nullopt},
      {"below zero they round down", "-0.0000000011", "-2e-9", std::nullopt},
      {"a binary amount is capped", "10Ei", "9223372036854775807e0", std::nullopt},
      {"also below zero", "-10Ei", "-9223372036854775807e0", std::nullopt},
      {"rounding carries", "9999999999.9999999999", "1e10", std::nullopt},
      {"zero", "0", "0e0", 0},
      {"zero with a suffix", "0Ki", "0e0", 0},
      {"a negative zero", "-0.000", "0e0", std::nullopt},
      {"no digit at all is zero", "+", "0e0", 0},
      {"an unknown suffix is an error", "1kg", "", std::nullopt},
      {"a small k with i is an error", "1ki", "", std::nullopt},
      {"nothing is an error", "", "", std::nullopt},
      {"a blank is an error", " 1", "", std::nullopt},
      {"an exponent", "12e-4", "12e-4", std::nullopt},
      {"no digit and a small exponent is an error", "e-30", "", std::nullopt},
      {"a large exponent is kept", "1e2000000000", "1e2000000000", std::nullopt},
      {"a large exponent of many digits, too", "1234567890123456789e2000000000",
       "1234567890123456789e2000000000", std::nullopt},
  };
  for (const QuantityValueRow& row : rows) {
    CAPTURE(row.sentence);
    const auto parsed = QuantityValue::parse(row.text);
    REQUIRE(parsed.has_value() == !row.canonical.empty());
    CHECK(parsed.has_value() == Quantity::parse(row.text).has_value());
    if (!parsed) continue;
    CHECK(parsed->canonical_text() == row.canonical);
    CHECK(parsed->as_integer() == row.integer);
  }
}

TEST_CASE("quantities are compared exactly, however they are kept") {
  // Each is less than the next.
  const std::string ascending[] = {"-1e30", "-2",       "-1999m",       "-1n",    "0",           "1n",
                                   "0.1",   "1.000001", "1.0000010001", "2",      "1k",          "1Ki",
                                   "1.5Ki", "8Ei",      "1e30",         "1.1e30", "1e2000000000"};
  for (std::size_t i = 0; i < std::size(ascending); ++i) {
    for (std::size_t j = 0; j < std::size(ascending); ++j) {
      CAPTURE(ascending[i]);
      CAPTURE(ascending[j]);
      CHECK((quantity(ascending[i]) <=> quantity(ascending[j])) == (i <=> j));
    }
  }
  CHECK(quantity("1000m") == quantity("1"));
  CHECK(quantity("1.5Gi") == quantity("1536Mi"));
  CHECK(quantity("1000000000000000000000m") == quantity("1E"));
  CHECK(quantity("0.0") == quantity("-0Ki"));
}

TEST_CASE("sums are exact, and stay integers while they fit") {
  struct QuantityValueRow {
    const char* sentence;
    std::string a, b;
    std::string sum, difference;
    std::optional<std::int64_t> integer;  ///< Of the sum.
  };
  const QuantityValueRow rows[] = {
      {"integers", "1k", "1", "1001e0", "999e0", 1001},
      {"with thousandths the scale is theirs", "1", "500m", "15e-1", "5e-1", std::nullopt},
      {"a zero takes the other's scale", "0.0", "5", "5e0", "-5e0", 5},
      {"adding zero changes nothing", "5", "0.0", "5e0", "5e0", 5},
      {"what does not fit becomes a big decimal", "9E", "9E", "18e18", "0e0", std::nullopt},
      {"a big decimal stays one", "1.5Gi", "0.5Gi", "2147483648e0", "1073741824e0", std::nullopt},
      {"below zero", "-3", "1", "-2e0", "-4e0", -2},
      {"nanos and a large amount", "1e20", "1n", "100000000000000000000000000001e-9",
       "99999999999999999999999999999e-9", std::nullopt},
      {"borrowing through zeros", "1000000000000000000", "1", "1000000000000000001e0", "999999999999999999e0",
       std::nullopt},
  };
  for (const QuantityValueRow& row : rows) {
    CAPTURE(row.sentence);
    const auto sum = quantity(row.a).plus(quantity(row.b));
    const auto difference = quantity(row.a).minus(quantity(row.b));
    REQUIRE(sum.has_value());
    REQUIRE(difference.has_value());
    CHECK(sum->canonical_text() == row.sum);
    CHECK(difference->canonical_text() == row.difference);
    CHECK(sum->as_integer() == row.integer);
    CHECK(sum->is_sum());
  }
  CHECK_FALSE(quantity("1").is_sum());
  CHECK_FALSE(quantity("1e2000000000").plus(quantity("1")).has_value());
  CHECK(QuantityValue::of_units(kMax).plus(QuantityValue::of_units(kMax))->canonical_text() ==
        "18446744073709551614e0");
}

TEST_CASE("the approximate float is rounded as Go rounds it") {
  struct QuantityValueRow {
    const char* sentence;
    std::string text;
    double value;
  };
  const QuantityValueRow rows[] = {
      {"units are exact", "40Gi", 42949672960.0},
      {"thousandths are a product with 1e-3", "100m", 100 * 1e-3},
      {"a fraction is its digits times a power of ten", "1.10", 110 * 1e-2},
      {"a big decimal is counted in nanos", "0.1Ki", 102400000000 * 1e-9},
      {"a large decimal", "1e30", 1e30},
      {"a decimal that is too large", "1e400", std::numeric_limits<double>::infinity()},
      {"one of many digits", "-1234567890123456789e400", -std::numeric_limits<double>::infinity()},
      {"the cap is in units", "10Ei", 9223372036854775807.0},
  };
  for (const QuantityValueRow& row : rows) {
    CAPTURE(row.sentence);
    CHECK(quantity(row.text).as_approximate_float() == row.value);
  }
  CHECK(std::isnan(quantity("0e400").as_approximate_float()));
}

TEST_CASE("a quantity has a sign") {
  CHECK(quantity("-1n").sign() == -1);
  CHECK(quantity("-0").sign() == 0);
  CHECK(quantity("0.00000000000000000000").sign() == 0);
  CHECK(quantity("1.5Gi").sign() == 1);
}

}  // namespace winnow::cel
