#include "cluster/api/quantity.h"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>

namespace winnow::quantity_test {
namespace {

struct Amount {
  std::int64_t value;
  std::int64_t milli_value;
};

struct Row {
  const char* sentence;
  std::string text;
  std::optional<Amount> amount;  ///< None where upstream gives an error.
};

constexpr std::int64_t kMax = 9223372036854775807;

void check(const Row& row) {
  CAPTURE(row.sentence);
  CAPTURE(row.text);
  const auto quantity = Quantity::parse(row.text);
  REQUIRE(quantity.has_value() == row.amount.has_value());
  if (!quantity) return;
  CHECK(quantity->value() == row.amount->value);
  CHECK(quantity->milli_value() == row.amount->milli_value);
}

}  // namespace

TEST_CASE("quantities that people write") {
  const Row rows[] = {
      {"a whole number is units", "3", Amount{3, 3000}},
      {"m is a thousandth, and a part of a unit is a unit", "100m", Amount{1, 100}},
      {"u is a millionth", "2500u", Amount{1, 3}},
      {"n is the smallest", "1n", Amount{1, 1}},
      {"k is a thousand", "2k", Amount{2000, 2000000}},
      {"E is 10^18, whose thousandths do not fit", "1E", Amount{1000000000000000000, 0}},
      {"Ki is 1024", "1Ki", Amount{1024, 1024000}},
      {"a fraction of Gi is exact", "1.5Gi", Amount{1610612736, 1610612736000}},
      {"Ei is 2^60, whose thousandths wrap", "1Ei", Amount{1152921504606846976, -kMax - 1}},
      {"an exponent may be lower case", "12e3", Amount{12000, 12000000}},
      {"an exponent may be upper case", "12E3", Amount{12000, 12000000}},
      {"an exponent may be negative", "15e-1", Amount{2, 1500}},
      {"an exponent may have a plus", "1e+2", Amount{100, 100000}},
      {"a fraction rounds up to a unit", "1.1", Amount{2, 1100}},
      {"a negative fraction rounds away from zero", "-1.5", Amount{-2, -1500}},
  };
  for (const auto& row : rows) check(row);
}

TEST_CASE("quantities at the edge of the form") {
  const Row rows[] = {
      {"nothing is an error", "", std::nullopt},
      {"a sign alone is 0", "+", Amount{0, 0}},
      {"a dot alone is 0", ".", Amount{0, 0}},
      {"a suffix alone is 0", "k", Amount{0, 0}},
      {"a binary suffix alone is 0", "Ki", Amount{0, 0}},
      {"but the largest goes another way, which needs a digit", "Ei", std::nullopt},
      {"a dot may lead", ".5", Amount{1, 500}},
      {"a dot may trail", "5.", Amount{5, 5000}},
      {"a dot may stand before the suffix", "1.Gi", Amount{1073741824, 1073741824000}},
      {"two dots are an error", "1..5", std::nullopt},
      {"white space is an error", "1 ", std::nullopt},
      {"a small Ki is none", "1ki", std::nullopt},
      {"a large K is none", "1K", std::nullopt},
      {"mi is none", "1mi", std::nullopt},
      {"e without a number is none", "1e", std::nullopt},
      {"E without a number is 10^18", "1E", Amount{1000000000000000000, 0}},
      {"an exponent has one sign", "1e+-2", std::nullopt},
      {"a hexadecimal number is none", "0x10", std::nullopt},
      {"leading zeros do not matter", "000100m", Amount{1, 100}},
      {"an exponent that fits no int64 is an error", "1e99999999999999999999", std::nullopt},
  };
  for (const auto& row : rows) check(row);
}

TEST_CASE("quantities that do not fit") {
  const Row rows[] = {
      {"the largest int64 has thousandths that wrap", "9223372036854775807", Amount{kMax, -1000}},
      {"one more wraps", "9223372036854775808", Amount{-kMax - 1, 0}},
      {"a binary suffix caps", "8Ei", Amount{kMax, -1000}},
      {"a binary suffix caps below zero", "-8Ei", Amount{-kMax, 1000}},
      {"a power that is reached in a loop gives 0", "10E", Amount{0, 0}},
      {"a huge exponent gives 0, at once", "1e2000000000", Amount{0, 0}},
      {"an exponent wraps to an int32 and may turn out tiny", "2E6024865272343", Amount{1, 1}},
      {"long digits wrap", "12345678901234567890123456789", Amount{5097733592125636885, 6432227781800638984}},
      {"below zero the nanos wrap before", "-12345678901234567890123456789",
       Amount{4302749292, 4302749291989}},
      {"less than a nano is a nano", "0.0000000001", Amount{1, 1}},
      {"finer digits round up to a nano", "1.0000000001", Amount{2, 1001}},
      {"a negative one of that form rounds to zero's side", "-1.0000000001", Amount{0, -999}},
  };
  for (const auto& row : rows) check(row);
}

TEST_CASE("an amount is written with all its digits") {
  for (const char* const text : {"0", "2", "1500m", "100u", "1001u", "5n", "1000001n", "3Gi", "-5m"})
    CHECK(quantity_text(*Quantity::parse(text)) == text);
}

TEST_CASE("quantities round up to thousandths, away from zero") {
  struct {
    const char* sentence;
    const char* written;
    const char* rounded;
  } const rows[] = {
      {"thousandths stay", "1500m", "1500m"},
      {"units stay", "3Gi", "3Gi"},
      {"a nano is a thousandth", "1n", "1m"},
      {"less than a thousandth goes up", "1.0001", "1001m"},
      {"below zero it goes down", "-1.0001", "-1001m"},
      {"with many digits too", "1000000000000000000.0001", "1000000000000000000001m"},
      {"the fraction of a binary suffix", "0.1Ki", "102400m"},
      {"a huge amount stays", "1e100", "1e100"},
      {"a capped amount stays", "8Ei", "8Ei"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.sentence);
    Quantity amount = *Quantity::parse(row.written);
    amount.round_up_to_millis();
    CHECK(amount == *Quantity::parse(row.rounded));
  }
  // Upstream's RoundUp makes -8Ei a count of thousandths, whose last 64 bits it divides then.
  Quantity capped = *Quantity::parse("-8Ei");
  capped.round_up_to_millis();
  CHECK(capped.value() == 1);
  CHECK(capped.milli_value() == 1000);
}

TEST_CASE("quantities compare by amount and add exactly") {
  CHECK(*Quantity::parse("1") == *Quantity::parse("1000m"));
  CHECK(*Quantity::parse("1Gi") > *Quantity::parse("1G"));
  CHECK(*Quantity::parse("1e100") > *Quantity::parse("8Ei"));
  CHECK(*Quantity::parse("-1e100") < *Quantity::parse("0"));
  CHECK(Quantity::of_units(2) == *Quantity::parse("2"));
  CHECK(Quantity::of_millis(250).value() == 1);
  CHECK(Quantity().is_zero());
  CHECK(Quantity::parse("0.0")->is_zero());

  Quantity sum = *Quantity::parse("100m");
  sum += *Quantity::parse("0.2");
  CHECK(sum.milli_value() == 300);
  sum += *Quantity::parse("1Ki");
  CHECK(sum.milli_value() == 1024300);
  CHECK(sum.value() == 1025);
  sum += Quantity();
  CHECK(sum.milli_value() == 1024300);

  sum -= *Quantity::parse("1Ki");
  CHECK(sum == Quantity::of_millis(300));
  sum -= *Quantity::parse("1.3");
  CHECK(sum == Quantity::of_units(-1));
  sum -= sum;
  CHECK(sum.is_zero());
  sum -= *Quantity::parse("1e100");
  CHECK(sum < *Quantity::parse("-8Ei"));
}

TEST_CASE("the exact text of a quantity has its digits as they are kept") {
  const std::pair<const char*, const char*> rows[] = {
      {"0", "0e0"},
      {"3", "3e0"},
      {"1.50", "150e-2"},
      {"1500m", "1500e-3"},
      {"-1.5", "-15e-1"},
      {"2k", "2e3"},
      {"1Ki", "1024e0"},
      {"1.5Gi", "1610612736000000000e-9"},
      {"1e100", "1e30"},
      {"-1e100", "-1e30"},
      {"12345678901234567890", "12345678901234567890000000000e-9"},
  };
  for (const auto& [text, exact] : rows) {
    CAPTURE(text);
    CHECK(Quantity::parse(text)->exact_text() == exact);
    CHECK(*Quantity::parse(exact) == *Quantity::parse(text));
  }
}

}  // namespace winnow::quantity_test
