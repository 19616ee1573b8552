#include <doctest/doctest.h>

#include "cluster/client/watch/reflector_status.h"

namespace winnow::live {

TEST_CASE("a resource version is a number above 0") {
  struct Row {
    const char* text;
    bool is;
  };
  for (const Row& row : {Row{"1", true},
                         {"10", true},
                         {"18446744073709551615", true},
                         {"18446744073709551616", false},
                         {"99999999999999999999999", false},
                         {"", false},
                         {"0", false},
                         {"007", false},
                         {"-1", false},
                         {"1 ", false},
                         {"0x1", false},
                         {"None", false},
                         {"1e3", false}}) {
    CAPTURE(row.text);
    CHECK(is_resource_version(row.text) == row.is);
  }
}

TEST_CASE("resource versions are compared as numbers") {
  struct Row {
    const char *a, *b;
    std::optional<std::strong_ordering> order;
  };
  const Row rows[] = {
      {"9", "10", std::strong_ordering::less},
      {"10", "9", std::strong_ordering::greater},
      {"123", "123", std::strong_ordering::equal},
      {"9999999999999999999", "10000000000000000000", std::strong_ordering::less},
      {"1", "100000000000000000000", std::nullopt},
      {"None", "1", std::nullopt},
      {"1", "", std::nullopt},
  };
  for (const Row& row : rows) {
    CAPTURE(row.a);
    CHECK(compare_resource_versions(row.a, row.b) == row.order);
    CHECK(is_older(row.a, row.b) == (row.order == std::strong_ordering::less));
  }
}

}  // namespace winnow::live
