// How long a refusal is held back, at times of the test's.
#include "extender/service/scheduling/watch_lag.h"

#include <doctest/doctest.h>

#include <string>

namespace winnow::test::watch_lag_test {
namespace {

using namespace std::chrono_literals;
using Sign = WatchLagEstimator::Sign;

constexpr WatchLagEstimator::Time kStart{1h};

double in_ms(WatchLagEstimator::Duration duration) {
  return std::chrono::duration<double, std::milli>(duration).count();
}

/// A service that started at kStart. Times are milliseconds since then.
struct Bed {
  explicit Bed(WatchLagEstimator::Duration catch_up = 250ms) : recency(catch_up, kStart) {}

  static WatchLagEstimator::Time at(double ms) {
    return kStart + std::chrono::duration_cast<WatchLagEstimator::Duration>(
                        std::chrono::duration<double, std::milli>(ms));
  }
  /// For how many milliseconds a refusal of a call that has just come would be held.
  double hold(Sign sign, double now) {
    return in_ms(recency.hold_until(sign, at(now), at(now)).allowed - at(now));
  }
  /// A call that is held in vain. @return when it is answered.
  double in_vain(const std::string& pod, double now, double lasted) {
    recency.called(pod, at(now));
    recency.held(pod, std::chrono::milliseconds(static_cast<int>(lasted)), /*in_vain=*/true,
                 at(now + lasted));
    return now + lasted;
  }
  /// What is left of what may be held in vain, as far as it is less than catch_up.
  double left(double now) { return hold(Sign::kAhead, now); }

  WatchLagEstimator recency;
};

/// Saved in so many milliseconds.
double share(double ms) { return ms * WatchLagEstimator::kShare; }

}  // namespace

TEST_SUITE("recency") {
  TEST_CASE("with a sign a refusal is held for long, without one as long as the watch is late") {
    struct Row {
      std::string sentence;
      WatchLagEstimator::Duration catch_up, late;
      Sign sign;
      double ms;
    };
    const Row rows[] = {
        {"at first the watch is guessed to be 5 ms late", 250ms, 5ms, Sign::kNoSign, 10.5},
        {"a watch that is late: half of it and 3 ms more", 250ms, 20ms, Sign::kNoSign, 33},
        {"never longer than catch-up", 100ms, 100ms, Sign::kNoSign, 100},
        {"half of what is saved is for refusals with a sign", 250ms, 240ms, Sign::kNoSign, 200},
        {"no longer than catch-up at first either", 3ms, 5ms, Sign::kNoSign, 3},
        {"asked again", 250ms, 5ms, Sign::kAskedAgain, 250},
        {"the caller is ahead", 250ms, 5ms, Sign::kAhead, 250},
        {"the caller is ahead, and catch-up is short", 3ms, 5ms, Sign::kAhead, 3},
        {"one hold may use all of a long catch-up", 30s, 5ms, Sign::kAhead, 30'000},
        {"without a sign a long catch-up changes nothing", 30s, 5ms, Sign::kNoSign, 10.5},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed(row.catch_up);
      CHECK(bed.recency.is_on());
      if (row.late > bed.recency.lateness()) bed.recency.late_by(row.late);
      CHECK(bed.hold(row.sign, 0) == doctest::Approx(row.ms));
    }
    CHECK_FALSE(WatchLagEstimator(0ms, kStart).is_on());
  }

  TEST_CASE("the time that a call has waited in line already counts") {
    Bed bed;
    CHECK(bed.recency.hold_until(Sign::kAhead, Bed::at(10), Bed::at(100)).allowed == Bed::at(260));
    CHECK(bed.recency.hold_until(Sign::kNoSign, Bed::at(10), Bed::at(100)).allowed < Bed::at(100));
  }

  TEST_CASE("a late watch is believed at once, a quick one by and by") {
    Bed bed;
    CHECK(bed.recency.lateness() == WatchLagEstimator::kFirstGuess);
    bed.recency.late_by(21ms);
    CHECK(bed.recency.lateness() == 21ms);
    bed.recency.late_by(5ms);
    CHECK(bed.recency.lateness() == 20'500us);
    for (int i = 0; i < 1000; ++i) bed.recency.late_by(5ms);
    CHECK(in_ms(bed.recency.lateness()) == doctest::Approx(5));
    bed.recency.late_by(10s);
    CHECK(bed.recency.lateness() == 250ms);
  }

  TEST_CASE("what is worth holding does not depend on what is saved") {
    Bed bed;
    for (const char* pod : {"a", "b", "c"}) bed.in_vain(pod, 0, 250);
    CHECK(bed.left(0) == 0);
    const auto [wanted, allowed] = bed.recency.hold_until(Sign::kAhead, Bed::at(0), Bed::at(0));
    CHECK(wanted == Bed::at(250));
    CHECK(allowed == Bed::at(0));
  }

  TEST_CASE("a watch that was later than catch-up is too late for a while, or until it is in time") {
    Bed bed;
    CHECK_FALSE(bed.recency.is_too_late(Bed::at(0)));
    bed.recency.late_by(250ms);
    CHECK_FALSE(bed.recency.is_too_late(Bed::at(0)));
    bed.recency.later_than_catch_up(Bed::at(0));
    CHECK(bed.recency.lateness() == 250ms);
    CHECK(bed.recency.is_too_late(Bed::at(9'999)));
    CHECK_FALSE(bed.recency.is_too_late(Bed::at(10'000)));
    bed.recency.later_than_catch_up(Bed::at(20'000));
    bed.recency.in_time();
    CHECK_FALSE(bed.recency.is_too_late(Bed::at(20'001)));
  }

  TEST_CASE("a hold in vain is paid for by the next pod, if it has waited") {
    Bed bed;
    const double saved = in_ms(WatchLagEstimator::kSaved);
    double end = bed.in_vain("a", 0, 250);
    SUBCASE("at once") {
      bed.recency.called("b", Bed::at(end + 99));
      CHECK(bed.left(end) == doctest::Approx(saved - 250 + share(end)));
      SUBCASE("once") {
        bed.recency.called("c", Bed::at(end + 99));
        CHECK(bed.left(end) == doctest::Approx(saved - 250 + share(end)));
      }
    }
    SUBCASE("before the answer: its call had come and waited in line") {
      bed.recency.called("b", Bed::at(end - 100));
      CHECK(bed.left(end) == doctest::Approx(saved - 250 + share(end)));
    }
    SUBCASE("later: nobody has waited") {
      bed.recency.called("b", Bed::at(end + 100));
      bed.recency.called("c", Bed::at(end + 101));
      CHECK(bed.left(end) == 250);
    }
    SUBCASE("for all calls about the pod before") {
      end = bed.in_vain("a", end + 10, 100);
      CHECK(bed.left(end) == 250);  // Nobody but the pod itself has waited so far.
      bed.recency.called("b", Bed::at(end + 1));
      CHECK(bed.left(end) == doctest::Approx(saved - 350));
    }
    SUBCASE("for the last calls about it alone") {
      end = bed.in_vain("a", end + 5000, 100);
      CHECK(bed.left(end) == 250);
      bed.recency.called("b", Bed::at(end + 1));
      bed.recency.held("b", 200ms, /*in_vain=*/true, Bed::at(end + 1));
      bed.recency.called("c", Bed::at(end + 2));
      CHECK(bed.left(end + 2) == doctest::Approx(saved - 300 + share(2)));
    }
  }

  TEST_CASE("a hold that found a node costs nothing") {
    Bed bed;
    bed.recency.called("a", Bed::at(0));
    bed.recency.held("a", 250ms, /*in_vain=*/false, Bed::at(250));
    bed.recency.called("b", Bed::at(251));
    CHECK(bed.left(251) == 250);
  }

  TEST_CASE("what is left goes to refusals with a sign, and comes back slowly") {
    Bed bed;
    double now = bed.in_vain("a", 0, 250);
    now = bed.in_vain("b", now, 100);
    bed.recency.called("c", Bed::at(now));
    const double left = in_ms(WatchLagEstimator::kSaved) - 350 + share(now);
    CHECK(bed.left(now) == doctest::Approx(left));
    CHECK(bed.hold(Sign::kNoSign, now) == 0);
    now = bed.in_vain("d", now, 200);
    bed.recency.called("e", Bed::at(now));
    CHECK(bed.left(now) == 0);  // What was held for too long is owed.
    const double owed = 200 - left - share(200);
    CHECK(bed.left(now + 10'000) == doctest::Approx(share(10'000) - owed));
    CHECK(bed.hold(Sign::kNoSign, now + 10'000) == doctest::Approx(0));
    CHECK(bed.left(now + 60'000) == 250);
    CHECK(bed.hold(Sign::kNoSign, now + 60'000) == doctest::Approx(10.5));
  }

  TEST_CASE("an idle day saves no more than there was at first") {
    Bed bed;
    double now = 24 * 3600 * 1000.;
    CHECK(bed.left(now) == 250);
    now = bed.in_vain("a", now, 250);
    bed.recency.called("b", Bed::at(now));
    CHECK(bed.left(now) ==
          doctest::Approx(in_ms(WatchLagEstimator::kSaved) - 250 + share(250)).epsilon(0.05));
  }

  TEST_CASE("a queue of hopeless pods waits for a small part of the time") {
    for (const Sign sign : {Sign::kNoSign, Sign::kAskedAgain, Sign::kAhead}) {
      for (const double work : {0.5, 5., 50.}) {
        CAPTURE(work);
        Bed bed;
        bed.recency.late_by(100ms);
        double now = 0, waited = 0;
        for (int pod = 0; now < 60'000; ++pod) {
          bed.recency.called(std::to_string(pod), Bed::at(now));
          const double lasted = bed.hold(sign, now);
          now += lasted;
          waited += lasted;
          if (lasted > 0)
            bed.recency.held(std::to_string(pod), Bed::at(lasted) - kStart, /*in_vain=*/true, Bed::at(now));
          now += work;
        }
        CHECK(waited > 0);
        CHECK(waited < in_ms(WatchLagEstimator::kSaved) + share(now) + 1);
      }
    }
  }
}

}  // namespace winnow::test::watch_lag_test
