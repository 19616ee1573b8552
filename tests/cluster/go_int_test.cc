#include <doctest/doctest.h>

#include <random>

#include "cluster/go_math.h"

namespace winnow::test {

TEST_CASE("a division by way of a double is the division of integers") {
  constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kExact = std::int64_t{1} << 52;
  const std::int64_t dividends[] = {0,      1,          99,       100, 101,      kExact - 1,
                                    kExact, kExact + 1, kLargest, -1,  -kLargest};
  const std::int64_t divisors[] = {1, 2, 3, 100, kExact - 1, kExact, kExact + 1, kLargest, -1, -7};
  for (const std::int64_t a : dividends)
    for (const std::int64_t b : divisors) {
      CAPTURE(a);
      CAPTURE(b);
      CHECK(fast_divide(a, b) == wrap_divide(a, b));
    }
}

TEST_CASE("one short of a multiple is not rounded up to it") {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t divisor = static_cast<std::int64_t>(random() >> (12 + random() % 52)) + 1;
    const std::int64_t most = (std::int64_t{1} << 52) / divisor;
    const std::int64_t multiple =
        divisor * (1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most)));
    REQUIRE(fast_divide(multiple, divisor) == multiple / divisor);
    REQUIRE(fast_divide(multiple - 1, divisor) == (multiple - 1) / divisor);
  }
}

}  // namespace winnow::test
