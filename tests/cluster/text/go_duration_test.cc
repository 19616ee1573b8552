#include <doctest/doctest.h>

#include <limits>

#include "cluster/text/go_format.h"

namespace winnow {
namespace {

TEST_CASE("durations as Go reads them") {
  struct Row {
    const char* sentence;
    const char* text;
    std::optional<std::int64_t> nanoseconds;
  };
  const Row rows[] = {
      {"seconds", "15s", 15'000'000'000},
      {"parts add up", "1h15m30.918s", 4'530'918'000'000},
      {"a unit may come twice, in any order", "1s1h1s", 3'602'000'000'000},
      {"a fraction of a unit", "-1.5h", -5'400'000'000'000},
      {"digits on one side of the point are enough", ".5s", 500'000'000},
      {"also on the other", "1.s", 1'000'000'000},
      {"microseconds in either spelling", "1us2µs3μs", 6'000},
      {"0 needs no unit", "0", 0},
      {"nor with a sign", "-0", 0},
      {"the longest", "9223372036854775807ns", std::numeric_limits<std::int64_t>::max()},
      {"the longest before 0", "-9223372036854775808ns", std::numeric_limits<std::int64_t>::min()},
      {"one too long", "9223372036854775808ns", std::nullopt},
      {"far too long", "3000000h", std::nullopt},
      {"digits that do not fit behind a point are dropped", "0.3333333333333333333333h", 1'200'000'000'000},
      {"nothing", "", std::nullopt},
      {"a sign alone", "-", std::nullopt},
      {"no unit", "15", std::nullopt},
      {"an unknown unit", "1d", std::nullopt},
      {"a unit alone", "s", std::nullopt},
      {"a point alone", ".s", std::nullopt},
      {"space", " 1s", std::nullopt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    CHECK(parse_go_duration(row.text) == row.nanoseconds);
  }
}

}  // namespace
}  // namespace winnow
