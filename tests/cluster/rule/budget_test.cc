#include "cluster/rule/budget.h"

#include <doctest/doctest.h>

#include <thread>

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
  CHECK(asked <= 1 + took / std::chrono::milliseconds(50));
  gone = true;
  while (!budget.is_over()) continue;
  CHECK(asked >= 1);
  const int so_far = asked;
  gone = false;
  CHECK(budget.is_over());  // It does not come back.
  CHECK(asked == so_far);
}

TEST_CASE("the time is over at the deadline, whether it was near from the start or not") {
  for (const int time : {1, 20, 150}) {
    CAPTURE(time);
    const Budget budget(std::chrono::steady_clock::now() + std::chrono::milliseconds(time));
    while (!budget.is_over()) std::this_thread::yield();
    CHECK(std::chrono::steady_clock::now() > budget.deadline());
  }
}

TEST_CASE("one who has waited for his turn asks for his client first") {
  const Budget budget(far(), [] { return true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  CHECK(budget.is_over());
  const auto asked = std::chrono::steady_clock::now() - std::chrono::milliseconds(100);
  CHECK(Budget(far(), [] { return true; }, asked).is_over());
}

}  // namespace
}  // namespace winnow
