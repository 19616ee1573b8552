#include <doctest/doctest.h>

#include "cluster/client/watch/reflector_status.h"
#include "tests/cluster/client/watch/sim_clock.h"

namespace winnow::live {
namespace {

/// Notes as many older answers as a restore takes, the last one from etcd.
void note_enough(RestoreDetector& detector, const std::string& server, Clock::Time now) {
  using enum RestoreDetector::Source;
  for (int i = 1; i < RestoreDetector::kAnswers; ++i) detector.note(server, now, kCache);
  detector.note(server, now, kEtcd);
}

}  // namespace

TEST_CASE("a restore is believed when all servers have answered older for long enough") {
  using enum RestoreDetector::Source;
  const std::vector<std::string> both = {"a", "b"};
  RestoreDetector detector;
  CHECK_FALSE(detector.settled(both, after(1000)));
  note_enough(detector, "a", after(0));
  SUBCASE("one server of two is not enough") { CHECK_FALSE(detector.settled(both, after(1000))); }
  SUBCASE("a server that went away is not waited for") { CHECK(detector.settled({"a"}, after(1000))); }
  SUBCASE("one answer is not enough") {
    detector.note("b", after(50), kEtcd);
    CHECK_FALSE(detector.suspected(both, after(1000)));
    CHECK_FALSE(detector.settled(both, after(1000)));
  }
  SUBCASE("time is needed too, from the first answer") {
    note_enough(detector, "b", after(50));
    CHECK_FALSE(detector.settled(both, after(89)));
    CHECK(detector.settled(both, after(90)));
  }
  SUBCASE("answers from caches are a suspicion, and etcd must confirm it for each server") {
    for (int i = 0; i < RestoreDetector::kAnswers; ++i) detector.note("b", after(50), kCache);
    CHECK_FALSE(detector.suspected(both, after(89)));
    CHECK(detector.suspected(both, after(90)));
    CHECK_FALSE(detector.settled(both, after(1000)));
    detector.note("b", after(1000), kEtcd);
    CHECK(detector.settled(both, after(1000)));
  }
  SUBCASE("etcd's word may come before the suspicion") {
    detector.note("b", after(50), kEtcd);
    detector.note("b", after(90), kCache);
    CHECK(detector.settled(both, after(90)));
  }
  SUBCASE("a server that does not answer has no say after four minutes") {
    detector.note_silence("b", after(20));
    detector.note_silence("b", after(250));
    CHECK_FALSE(detector.settled(both, after(259)));
    CHECK(detector.settled(both, after(260)));
  }
  SUBCASE("one that answers again has") {
    detector.note_silence("b", after(20));
    detector.note("b", after(250), kEtcd);
    CHECK_FALSE(detector.settled(both, after(1000)));
  }
  SUBCASE("one that answers something else has, too, until it is silent again") {
    detector.note_silence("b", after(20));
    detector.note_presence("b");
    CHECK_FALSE(detector.settled(both, after(1000)));
    detector.note_silence("b", after(1000));
    CHECK_FALSE(detector.settled(both, after(1239)));
    CHECK(detector.settled(both, after(1240)));
  }
  SUBCASE("silence alone settles nothing") {
    RestoreDetector silent;
    for (const std::string& server : both) silent.note_silence(server, after(0));
    silent.note("a", after(1), kEtcd);
    silent.note_silence("a", after(2));
    CHECK_FALSE(silent.settled(both, after(1000)));
  }
  SUBCASE("what was answered before the silence counts on") {
    note_enough(detector, "b", after(50));
    detector.note_silence("b", after(80));
    CHECK(detector.settled(both, after(90)));
  }
  SUBCASE("a good answer ends it") {
    note_enough(detector, "b", after(50));
    detector.clear();
    CHECK_FALSE(detector.settled(both, after(1000)));
  }
}

}  // namespace winnow::live
