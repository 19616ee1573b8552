#include "cluster/cel/semver_value.h"

#include <doctest/doctest.h>

#include <compare>
#include <string>

namespace winnow::cel {
namespace {

SemverValue version(const char* text) {
  const auto parsed = SemverValue::parse(text);
  REQUIRE(parsed.has_value());
  return *parsed;
}

struct SemverValueRow {
  const char* sentence;
  std::string text;
  std::string canonical;  ///< Empty where upstream gives an error.
};

}  // namespace

TEST_CASE("a version is read as semver 2.0 writes it") {
  const SemverValueRow rows[] = {
      {"three numbers are a version", "1.2.3", "1.2.3"},
      {"a prerelease has words and numbers", "1.2.3-rc.1", "1.2.3-rc.1"},
      {"build metadata may begin with zeros", "1.2.3+007.a", "1.2.3+007.a"},
      {"a prerelease and build metadata", "1.0.0-a-b.0+x-y", "1.0.0-a-b.0+x-y"},
      {"a minus behind a plus is build metadata", "1.0.0+a-b", "1.0.0+a-b"},
      {"the largest number", "18446744073709551615.0.0", "18446744073709551615.0.0"},
      {"a number must fit", "18446744073709551616.0.0", ""},
      {"nothing is no version", "", ""},
      {"two numbers are none", "1.2", ""},
      {"a leading v is an error", "v1.2.3", ""},
      {"a leading zero is an error", "01.2.3", ""},
      {"a leading zero of the patch is an error", "1.2.03", ""},
      {"a fourth number is an error", "1.2.3.4", ""},
      {"an empty number is an error", "1..3", ""},
      {"an empty prerelease is an error", "1.2.3-", ""},
      {"an empty part of a prerelease is an error", "1.2.3-a..b", ""},
      {"a leading zero in a prerelease's number is an error", "1.2.3-01", ""},
      {"a word of a prerelease may begin with zero", "1.2.3-0a", "1.2.3-0a"},
      {"empty build metadata is an error", "1.2.3+", ""},
      {"a blank is an error", "1.2.3 ", ""},
      {"a sign is an error", "1.-2.3", ""},
  };
  for (const SemverValueRow& row : rows) {
    CAPTURE(row.sentence);
    const auto parsed = SemverValue::parse(row.text);
    REQUIRE(parsed.has_value() == !row.canonical.empty());
    if (parsed) CHECK(parsed->text() == row.canonical);
  }
}

TEST_CASE("the normalized form forgives") {
  const SemverValueRow rows[] = {
      {"a leading v", "v1.2.3", "1.2.3"},
      {"a missing patch", "1.2", "1.2.0"},
      {"a missing minor number", "v1", "1.0.0"},
      {"leading zeros", "01.002.0003", "1.2.3"},
      {"a number of zeros alone", "1.000.00", "1.0.0"},
      {"zeros before a prerelease", "1.2.00-rc1", "1.2.0-rc1"},
      {"a prerelease of a short version is an error", "1.2-rc1", ""},
      {"build metadata of a short version is an error", "1+x", ""},
      {"nothing is an error still", "", ""},
      {"two v are an error still", "vv1.2.3", ""},
  };
  for (const SemverValueRow& row : rows) {
    CAPTURE(row.sentence);
    const auto parsed = SemverValue::parse_normalized(row.text);
    REQUIRE(parsed.has_value() == !row.canonical.empty());
    if (parsed) CHECK(parsed->text() == row.canonical);
  }
}

TEST_CASE("versions are ordered by precedence") {
  // Each is less than the next.
  const char* ascending[] = {"0.9.9",         "1.0.0-1",       "1.0.0-2",    "1.0.0-11",   "1.0.0-alpha",
                             "1.0.0-alpha.1", "1.0.0-alpha.b", "1.0.0-beta", "1.0.0-rc.1", "1.0.0",
                             "1.0.1",         "1.1.0",         "2.0.0"};
  for (std::size_t i = 0; i < std::size(ascending); ++i) {
    for (std::size_t j = 0; j < std::size(ascending); ++j) {
      CAPTURE(ascending[i]);
      CAPTURE(ascending[j]);
      CHECK((version(ascending[i]) <=> version(ascending[j])) == (i <=> j));
    }
  }
}

TEST_CASE("build metadata does not count in comparisons") {
  CHECK(version("1.2.3+a") == version("1.2.3+b"));
  CHECK(version("1.2.3+a").text() != version("1.2.3+b").text());
}

TEST_CASE("a version tells its numbers") {
  const SemverValue one = version("4.5.6-x");
  CHECK(one.major() == 4);
  CHECK(one.minor() == 5);
  CHECK(one.patch() == 6);
}

}  // namespace winnow::cel
