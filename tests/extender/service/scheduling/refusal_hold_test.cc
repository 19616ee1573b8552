// When a call's refusal is held, by what was seen and at times of the test's.
#include "extender/service/scheduling/refusal_hold.h"

#include <doctest/doctest.h>

namespace winnow::test::refusal_hold_test {
namespace {

using namespace std::chrono_literals;

constexpr RefusalHold::Time kStart{1h};
/// Of a service that has just started: without a sign, and with one.
constexpr double kUsual = 10.5, kLong = 250;

RefusalHold::Time at(double ms) {
  return kStart + std::chrono::duration_cast<WatchLagEstimator::Duration>(
                      std::chrono::duration<double, std::milli>(ms));
}
double since_start(RefusalHold::Time time) {
  return std::chrono::duration<double, std::milli>(time - kStart).count();
}

/// A refusal at news 7, of version 5, of a call about several nodes that came at 0 and was answered at 9 ms.
UnschedulableRecord before(std::uint64_t version = 5, bool one_node = false) {
  return {.ns = "default",
          .name = "p",
          .uid = "p",
          .version = version,
          .news = 7,
          .first_news = 7,
          .one_node = one_node,
          .asked = at(0),
          .refused = at(9),
          .would_fit = {},
          .node = {}};
}

struct Asks {
  std::uint64_t version = 5;
  bool refused = false, one_node = false, preempts = false;
  double ms = 2000;
};

struct Bed {
  explicit Bed(WatchLagEstimator::Duration catch_up = 250ms) : recency(catch_up, kStart) {}
  RefusalHold hold(const Asks& asks) {
    return RefusalHold(recency, refusals,
                       {.uid = "p",
                        .version = asks.version,
                        .refused = asks.refused,
                        .one_node = asks.one_node,
                        .preempts = asks.preempts,
                        .at = at(asks.ms)});
  }
  WatchLagEstimator recency;
  UnschedulableRecords refusals;
};

/// For how many milliseconds since the call came; -1: the refusal stands.
double held(RefusalHold& hold, const RefusalHold::Seen& seen, double asked, double now) {
  const auto until = hold.next(seen, at(now));
  return until ? since_start(*until) - asked : -1;
}

}  // namespace

TEST_SUITE("hold") {
  TEST_CASE("the signs that kube-scheduler knows more") {
    struct Row {
      std::string sentence;
      std::optional<UnschedulableRecord> before;
      Asks asks;
      RefusalHold::Seen seen;
      double ms;  ///< Since the call came.
    };
    const Row rows[] = {
        {"a pod that is asked about first: none", {}, {}, {.news = 7}, kUsual},
        {"it says itself that it was refused", {}, {.refused = true}, {.news = 7}, kLong},
        {"asked again, and nothing has happened since", before(), {}, {.news = 7}, kLong},
        {"asked again, for something has happened", before(), {}, {.news = 8}, kUsual},
        {"the same, and it says itself that it was refused",
         before(),
         {.refused = true},
         {.news = 8},
         kUsual},
        {"asked again, for the pod has changed itself", before(4), {}, {.news = 7}, kUsual},
        {"the pod is later than what the watch has told", {}, {}, {.news = 7, .told = 4}, kLong},
        {"the same of a pod that has changed", before(4), {}, {.news = 7, .told = 4}, kLong},
        {"the watch has just told of the pod", {}, {}, {.news = 7, .told = 5}, kUsual},
        {"no watch: versions say nothing", {}, {}, {.news = 7, .told = 0}, kUsual},
        {"a pod without a version says nothing", {}, {.version = 0}, {.news = 7, .told = 4}, kUsual},
        {"a node that the picture does not have", {}, {}, {.news = 7, .unknown_nodes = 1}, kLong},
        {"an answer that is not what kube-scheduler expects",
         {},
         {.preempts = true},
         {.news = 7, .differs = true},
         kLong},
        {"the same, though something has happened since the refusal",
         before(),
         {.preempts = true},
         {.news = 8, .differs = true},
         kLong},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed;
      if (row.before) bed.refusals.refused(*row.before);
      RefusalHold hold = bed.hold(row.asks);
      CHECK(held(hold, row.seen, row.asks.ms, row.asks.ms) == doctest::Approx(row.ms));
      Bed off(0ms);
      if (row.before) off.refusals.refused(*row.before);
      RefusalHold never = off.hold(row.asks);
      CHECK(held(never, row.seen, row.asks.ms, row.asks.ms) == -1);
    }
  }

  TEST_CASE("the calls of one attempt wait once") {
    struct Row {
      std::string sentence;
      UnschedulableRecord before;
      Asks asks;
      RefusalHold::Seen seen;
      double ms;  ///< Since the call came; -1: not at all.
    };
    const Row rows[] = {
        {"about all nodes, behind the nominated one: no longer than the usual",
         before(5, true),
         {.ms = 12},
         {.news = 7},
         -1},
        {"the same at once: what is left of the usual", before(5, true), {.ms = 3}, {.news = 7}, kUsual - 3},
        {"the same, and the watch is behind: what is left",
         before(5, true),
         {.ms = 10},
         {.news = 7, .told = 4},
         kLong - 10},
        {"whom to evict, behind the refusal: what is left",
         before(),
         {.preempts = true, .ms = 10},
         {.news = 7, .differs = true},
         kLong - 10},
        {"about the nominated node once more: another attempt",
         before(5, true),
         {.one_node = true, .ms = 10},
         {.news = 7},
         kLong},
        {"about all nodes once more: another attempt", before(), {.ms = 10}, {.news = 7}, kLong},
        {"a second later: another attempt", before(5, true), {.ms = 1009}, {.news = 7}, kLong},
        {"less than a second later", before(5, true), {.ms = 1008}, {.news = 7}, -1},
        {"of a pod that has changed: another attempt", before(4, true), {.ms = 10}, {.news = 7}, kUsual},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed;
      bed.refusals.refused(row.before);
      RefusalHold hold = bed.hold(row.asks);
      CHECK(held(hold, row.seen, row.asks.ms, row.asks.ms) == doctest::Approx(row.ms));
    }
  }

  TEST_CASE("a hold goes on until something has happened that may help the pod") {
    Bed bed;
    bed.refusals.refused(before());
    RefusalHold hold = bed.hold({});
    CHECK(held(hold, {.news = 7}, 2000, 2000) == kLong);
    CHECK(held(hold, {.news = 7}, 2000, 2004) == kLong);
    SUBCASE("and that came late: what belongs to it may come later still") {
      CHECK(held(hold, {.news = 8}, 2000, 2120) == doctest::Approx(183));
      CHECK(held(hold, {.news = 8}, 2000, 2183) == -1);
    }
    SUBCASE("and at once: the usual time is not over") {
      CHECK(held(hold, {.news = 8}, 2000, 2005) == doctest::Approx(kUsual));
    }
    SUBCASE("or until it has lasted for catch-up") {
      CHECK(held(hold, {.news = 7}, 2000, 2249) == kLong);
      CHECK(held(hold, {.news = 7}, 2000, 2250) == -1);
    }
  }

  TEST_CASE("for preempt nothing but news counts that came while the call was held") {
    Bed bed;
    bed.refusals.refused(before());
    RefusalHold hold = bed.hold({.preempts = true});
    CHECK(held(hold, {.news = 9, .differs = true}, 2000, 2000) == kLong);
    CHECK(held(hold, {.news = 9, .differs = true}, 2000, 2050) == kLong);
    CHECK(held(hold, {.news = 10, .differs = true}, 2000, 2060) == doctest::Approx(93));
    CHECK(held(hold, {.news = 10, .differs = true}, 2000, 2093) == -1);
  }

  TEST_CASE("a watch that was behind and has caught up tells how late it is") {
    Bed bed;
    RefusalHold hold = bed.hold({});
    CHECK(held(hold, {.news = 7, .told = 3}, 2000, 2000) == kLong);
    CHECK(held(hold, {.news = 7, .told = 4}, 2000, 2010) == kLong);
    CHECK(bed.recency.lateness() == WatchLagEstimator::kFirstGuess);
    CHECK(held(hold, {.news = 7, .told = 5}, 2000, 2020) == doctest::Approx(33));
    CHECK(bed.recency.lateness() == 20ms);
    CHECK(held(hold, {.news = 7, .told = 6}, 2000, 2024) == doctest::Approx(33));  // It is told once.
    CHECK(bed.recency.lateness() == 20ms);
  }

  TEST_CASE("a refusal is doubtful while the picture may be the older one") {
    struct Row {
      std::string sentence;
      std::optional<UnschedulableRecord> before;
      Asks asks;
      RefusalHold::Seen seen;
      double ms;  ///< When the refusal stands, since the call came.
      bool doubtful;
    };
    const auto doubted = [](unsigned doubts) {
      UnschedulableRecord refusal = before();
      refusal.doubts = doubts;
      return refusal;
    };
    UnschedulableRecord noisy = before();
    noisy.first_news = 6;
    const Asks again{.refused = true}, changed{.version = 6, .refused = true};
    constexpr double kFiveMinutes = 300'000;
    const Row rows[] = {
        {"asked about first", {}, {}, {.news = 8}, kUsual, false},
        {"asked again, and nothing has come", before(), again, {.news = 7}, kLong, true},
        {"it does not say yet that it was refused", before(), {}, {.news = 7}, kLong, false},
        {"refused, and not by us", {}, again, {.news = 7}, kLong, true},
        {"something has come", before(), again, {.news = 8}, kUsual, false},
        {"something had come during the attempt before",
         noisy,
         {.refused = true, .ms = 108},
         {.news = 7},
         kLong,
         false},
        {"the same, and it is long ago", noisy, again, {.news = 7}, kLong, true},
        {"every five minutes", before(), {.refused = true, .ms = kFiveMinutes}, {.news = 7}, kLong, false},
        {"the watch is still behind", {}, again, {.news = 7, .told = 4}, kLong, true},
        {"the pod has changed itself", before(), changed, {.news = 7}, kUsual, false},
        {"our doubt has changed it", doubted(1), changed, {.news = 7}, kLong, true},
        {"said before, and nothing has come", doubted(3), changed, {.news = 7}, kLong, true},
        {"said often enough", doubted(4), changed, {.news = 7}, kLong, false},
        {"said often enough, and asked again for something else",
         doubted(4),
         again,
         {.news = 7},
         kLong,
         true},
        {"said often enough, then something has come",
         doubted(4),
         changed,
         {.news = 8, .told = 4},
         kLong,
         true},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed;
      if (row.before) bed.refusals.refused(*row.before);
      RefusalHold hold = bed.hold(row.asks);
      CHECK(held(hold, row.seen, row.asks.ms, row.asks.ms) == doctest::Approx(row.ms));
      const double end = row.asks.ms + row.ms + 1;
      CHECK(held(hold, row.seen, row.asks.ms, end) == -1);
      CHECK(hold.is_doubtful(row.seen, at(end)) == row.doubtful);
      const UnschedulableRecord refusal =
          hold.refusal("default", "p", row.seen, at(end), row.doubtful, /*told=*/row.doubtful);
      const bool goes_on =
          row.before && row.before->news == row.seen.news && row.before->version != row.asks.version;
      CHECK(refusal.doubts == (goes_on ? row.before->doubts : 0) + row.doubtful);
      CHECK(refusal.doubtful == row.doubtful);
      CHECK(hold.attempt() == (row.before ? 2 : 1));
    }
  }

  TEST_CASE("what was doubtful of the nominated node is so of all nodes, in the same attempt") {
    for (const bool doubtful : {false, true}) {
      Bed bed;
      UnschedulableRecord refusal = before(5, /*one_node=*/true);
      refusal.doubtful = doubtful;
      bed.refusals.refused(refusal);
      RefusalHold hold = bed.hold({.refused = true, .ms = 12});
      CHECK(held(hold, {.news = 7}, 12, 12) == -1);
      CHECK(hold.is_doubtful({.news = 7}, at(12)) == doubtful);
    }
  }

  TEST_CASE("a refusal that was held too short is doubtful only where it was asked about again") {
    struct Row {
      std::string sentence;
      Asks asks;
      RefusalHold::Seen seen;
      bool doubtful;
    };
    const Row rows[] = {
        {"asked again, and nothing has come", {.refused = true}, {.news = 7}, true},
        {"something has come", {.refused = true}, {.news = 8}, false},
        {"the caller is ahead by its own word",
         {.version = 6, .refused = true},
         {.news = 7, .told = 5},
         false},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      Bed bed;
      for (const char* pod : {"a", "b", "c"}) {
        bed.recency.called(pod, at(2000));
        bed.recency.held(pod, 250ms, /*in_vain=*/true, at(2000));
      }
      bed.refusals.refused(before());
      RefusalHold hold = bed.hold(row.asks);
      CHECK(held(hold, row.seen, 2000, 2001) == -1);
      CHECK(hold.is_doubtful(row.seen, at(2001)) == row.doubtful);
    }
  }

  TEST_CASE("a watch that does not come in time is too late for all, until it does") {
    Bed bed;
    RefusalHold behind = bed.hold({.refused = true});
    CHECK(held(behind, {.news = 7, .told = 3}, 2000, 2000) == kLong);
    CHECK(held(behind, {.news = 7, .told = 3}, 2000, 2251) == -1);
    CHECK(bed.recency.lateness() == 250ms);
    bed.refusals.refused(before());
    RefusalHold hold = bed.hold({.refused = true, .ms = 9000});
    CHECK(held(hold, {.news = 8}, 9000, 9251) == -1);
    CHECK(hold.is_doubtful({.news = 8}, at(9251)));
    RefusalHold in_time = bed.hold({.version = 6, .refused = true, .ms = 9500});
    held(in_time, {.news = 8, .told = 5}, 9500, 9500);
    held(in_time, {.news = 9, .told = 6}, 9500, 9510);
    CHECK_FALSE(hold.is_doubtful({.news = 8}, at(9511)));
  }

  TEST_CASE("a call that got its node by being held tells how late the watch is") {
    Bed bed;
    bed.refusals.refused(before());
    RefusalHold hold = bed.hold({});
    SUBCASE("it was held") {
      CHECK(held(hold, {.news = 7}, 2000, 2001) == kLong);
      hold.end(/*refused=*/false, at(2040));
      CHECK(bed.recency.lateness() == 40ms);
    }
    SUBCASE("it was held in vain") {
      CHECK(held(hold, {.news = 7}, 2000, 2001) == kLong);
      hold.end(/*refused=*/true, at(2040));
      CHECK(bed.recency.lateness() == WatchLagEstimator::kFirstGuess);
    }
    SUBCASE("it was not held") {
      hold.end(/*refused=*/false, at(2040));
      CHECK(bed.recency.lateness() == WatchLagEstimator::kFirstGuess);
    }
  }

  TEST_CASE("what was held in vain is paid for by the next pod") {
    Bed bed;
    RefusalHold hold = bed.hold({.refused = true});
    CHECK(held(hold, {.news = 7}, 2000, 2010) == kLong);
    hold.end(/*refused=*/true, at(2250));
    const RefusalHold next(bed.recency, bed.refusals, {.uid = "q", .at = at(2251)});
    // 240 ms were held of what is saved.
    const auto until = bed.recency.hold_until(WatchLagEstimator::Sign::kAhead, at(2251), at(2251)).allowed;
    CHECK(since_start(until) - 2251 == doctest::Approx(400 - 240 + 241 * WatchLagEstimator::kShare));
  }

  TEST_CASE("the refusal says what it was made of") {
    Bed bed;
    const RefusalHold hold = bed.hold({.version = 9, .one_node = true});
    const UnschedulableRecord made = hold.refusal("ns", "name", {.news = 11}, at(2003));
    CHECK(made.ns == "ns");
    CHECK(made.name == "name");
    CHECK(made.uid == "p");
    CHECK(made.version == 9);
    CHECK(made.news == 11);
    CHECK(made.one_node);
    CHECK(made.asked == at(2000));
    CHECK(made.refused == at(2003));
    CHECK(made.times == 1);
    CHECK_FALSE(made.would_fit);
    CHECK_FALSE(made.told);
  }

  TEST_CASE("of several calls of an attempt the refusal has the first one's time") {
    Bed bed;
    bed.refusals.refused(before(5, true));
    const RefusalHold hold = bed.hold({.ms = 10});
    CHECK(hold.refusal("ns", "name", {}, at(11)).asked == at(0));
  }
}

}  // namespace winnow::test::refusal_hold_test
