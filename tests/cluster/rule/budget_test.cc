#include "cluster/rule/budget.h"

#include <doctest/doctest.h>

namespace winnow {
namespace {

using Time = Budget::Time;

Time far() { return std::chrono::steady_clock::now() + std::chrono::hours(1); }

TEST_CASE("the time is over behind the deadline, and stays over") {
  const Budget over(std::chrono::steady_clock::now() - std::chrono::milliseconds(1));
  CHECK(over.is_over());
  CHECK_THROWS_AS(over.check(), OutOfTime);
  const Budget left(far());
  CHECK_FALSE(left.is_over());
  CHECK_NOTHROW(left.check());
}

TEST_CASE("the time is over when the client has gone, which is asked seldom") {
  int asked = 0;
  bool gone = false;
  const Budget budget(far(), [&] {
    ++asked;
    return gone;
  });
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 1000; ++i) CHECK_FALSE(budget.is_over());
  const auto took = std::chrono::steady_clock::now() - start;
  CHECK(asked >= 1);
  CHECK(asked <= 1 + took / std::chrono::milliseconds(50));
  gone = true;
  while (!budget.is_over()) continue;
  const int so_far = asked;
  gone = false;
  CHECK(budget.is_over());  // It does not come back.
  CHECK(asked == so_far);
}

}  // namespace
}  // namespace winnow
