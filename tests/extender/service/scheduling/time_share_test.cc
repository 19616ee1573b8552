#include "extender/service/scheduling/time_share.h"

#include <doctest/doctest.h>

#include <chrono>
#include <optional>

namespace winnow::test {
namespace {

using std::chrono::microseconds;

TEST_CASE("work takes no more than its part of the time, and one at a time does it") {
  TimeShare share(50);
  const TimeShare::Time start{std::chrono::hours(1)};
  {
    std::optional<TimeShare::Turn> first = share.begin(start);
    REQUIRE(first.has_value());
    CHECK_MESSAGE(!share.begin(start).has_value(), "somebody works");
    first->took(start, microseconds(10));
  }
  CHECK_FALSE(share.begin(start + microseconds(499)).has_value());
  {
    const auto second = share.begin(start + microseconds(500));
    CHECK_MESSAGE(second.has_value(), "its fifty parts are over");
  }
  CHECK_MESSAGE(share.begin(start + microseconds(500)).has_value(), "a turn that was not used took no time");
}

}  // namespace
}  // namespace winnow::test
