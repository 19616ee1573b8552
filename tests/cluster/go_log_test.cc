#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "cluster/go_math.h"

namespace winnow::test {

TEST_CASE("the logarithm is Go's to the last bit") {
  CHECK(go_log(1) == 0);
  // strconv.FormatUint(math.Float64bits(math.Log(x)), 16)
  const struct {
    double number;
    std::uint64_t bits;
  } rows[] = {{2, 0x3fe62e42fefa39ef},    {3, 0x3ff193ea7aad030a},    {4, 0x3ff62e42fefa39ef},
              {5, 0x3ff9c041f7ed8d33},    {7, 0x3fff2272ae325a57},    {10, 0x40026bb1bbb55516},
              {14, 0x40051cca16d7bba8},   {100, 0x40126bb1bbb55516},  {1002, 0x401ba3965d405f5f},
              {5002, 0x40210901f6dc84b9}, {15002, 0x40233b5c54bb9573}};
  for (const auto& row : rows) {
    CAPTURE(row.number);
    CHECK(std::bit_cast<std::uint64_t>(go_log(row.number)) == row.bits);
  }
  int different = 0;
  for (int i = 2; i <= 15'002; ++i) {
    different += go_log(i) != std::log(i);
    CHECK(go_log(i) == doctest::Approx(std::log(i)));
  }
  CHECK(different == 183);
}

}  // namespace winnow::test
