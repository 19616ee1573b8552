#include <doctest/doctest.h>

#include "extender/service/log/log.h"

namespace winnow {

TEST_CASE("a burst of lines is cut, and then one comes in each period") {
  LogRate rate;
  LogRate::Time now{std::chrono::hours(1)};
  for (unsigned i = 0; i < LogRate::kAtOnce; ++i) CHECK(rate.next(now) == 0);
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(rate.next(now));
  now += LogRate::kEvery;
  CHECK(rate.next(now) == 1000);
  CHECK_FALSE(rate.next(now));
  now += LogRate::kEvery / 2;
  CHECK_FALSE(rate.next(now));
  now += LogRate::kEvery / 2;
  CHECK(rate.next(now) == 2);
  now += LogRate::kEvery;
  for (unsigned i = 0; i < LogRate::kAtOnce; ++i) CHECK(rate.next(now) == 0);
  CHECK_FALSE(rate.next(now));
}

}  // namespace winnow
