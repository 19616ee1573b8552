#include <doctest/doctest.h>

#include "cluster/text/go_format.h"

namespace winnow {

TEST_CASE("times are read as Go reads them") {
  struct Row {
    const char* text;
    std::optional<std::int64_t> seconds;
  };
  const Row rows[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-02T01:00:00.5+01:00", 86400},
      {"1969-12-31T23:59:59Z", -1},
      {"2000-02-29T1:02:03-00:30", 951786123 + 1800},
      {"2026-02-29T00:00:00Z", std::nullopt},
      {"2026-01-01T24:00:00Z", std::nullopt},
      {"2026-01-01T00:00:00", std::nullopt},
      {"2026-01-01T00:00:00.Z", std::nullopt},
      {"2026-01-01T00:00:00Zx", std::nullopt},
      {"2026-01-01 00:00:00Z", std::nullopt},
      {"", std::nullopt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    CHECK(parse_rfc3339(row.text) == row.seconds);
  }
}

}  // namespace winnow
