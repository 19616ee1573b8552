// How many refusals say that the watch may be late, at times of the test's.
#include <doctest/doctest.h>

#include "extender/service/scheduling/watch_lag.h"

namespace winnow::test::late_remarks_test {
namespace {

constexpr LateRemarks::Time kStart{std::chrono::hours(1)};

LateRemarks::Time at(double seconds) {
  return kStart +
         std::chrono::duration_cast<LateRemarks::Time::duration>(std::chrono::duration<double>(seconds));
}

/// How many of a hundred at one time.
int told_at(LateRemarks& doubts, double seconds, bool has_sign = true) {
  int told = 0;
  for (int i = 0; i < 100; ++i) told += doubts.may_tell(has_sign, at(seconds));
  return told;
}

}  // namespace

TEST_SUITE("doubts") {
  TEST_CASE("some at once, and then so many a second") {
    LateRemarks doubts;
    CHECK(told_at(doubts, 0) == 10);
    CHECK(told_at(doubts, 0.9) == 0);
    CHECK(told_at(doubts, 1.1) == 1);
    CHECK(told_at(doubts, 5.3) == 4);
    CHECK(told_at(doubts, 1000) == 10);
    CHECK(doubts.told() == 25);
  }

  TEST_CASE("without a sign half of them is left") {
    LateRemarks doubts;
    CHECK(told_at(doubts, 0, /*has_sign=*/false) == 5);
    CHECK(told_at(doubts, 0.9, /*has_sign=*/false) == 0);
    CHECK(told_at(doubts, 1.1, /*has_sign=*/false) == 1);
    CHECK(told_at(doubts, 1.1) == 5);
  }

  TEST_CASE("no text is like the one before") {
    CHECK(LateRemarks::remark(4) == " (attempt 4; Winnow's watch may be late)");
    CHECK(LateRemarks::remark(4) != LateRemarks::remark(5));
    CHECK(LateRemarks::remark(4, "3 cpu on n are held for default/g0") ==
          " (attempt 4; 3 cpu on n are held for default/g0)");
  }
}

}  // namespace winnow::test::late_remarks_test
