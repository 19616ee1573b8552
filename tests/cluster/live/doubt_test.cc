#include "cluster/live/doubt.h"

#include <doctest/doctest.h>

#include "tests/cluster/live/sim_clock.h"

namespace winnow::live {

TEST_CASE("doubt is settled when all servers have answered older for long enough") {
  const std::vector<std::string> both = {"a", "b"};
  Doubt doubt;
  CHECK_FALSE(doubt.any());
  CHECK_FALSE(doubt.settled(both, after(1000)));
  for (int i = 0; i < Doubt::kAnswers; ++i) doubt.note("a", after(0));
  CHECK(doubt.any());
  SUBCASE("one server of two is not enough") { CHECK_FALSE(doubt.settled(both, after(1000))); }
  SUBCASE("a server that went away is not waited for") { CHECK(doubt.settled({"a"}, after(1000))); }
  SUBCASE("one answer is not enough") {
    doubt.note("b", after(50));
    CHECK_FALSE(doubt.settled(both, after(1000)));
  }
  SUBCASE("time is needed too, from the first answer") {
    for (int i = 0; i < Doubt::kAnswers; ++i) doubt.note("b", after(50));
    CHECK_FALSE(doubt.settled(both, after(89)));
    CHECK(doubt.settled(both, after(90)));
  }
  SUBCASE("a server that does not answer has no say after four minutes") {
    doubt.note_silence("b", after(20));
    doubt.note_silence("b", after(250));
    CHECK_FALSE(doubt.settled(both, after(259)));
    CHECK(doubt.settled(both, after(260)));
  }
  SUBCASE("one that answers again has") {
    doubt.note_silence("b", after(20));
    doubt.note("b", after(250));
    CHECK_FALSE(doubt.settled(both, after(1000)));
  }
  SUBCASE("silence alone settles nothing") {
    Doubt silent;
    for (const std::string& server : both) silent.note_silence(server, after(0));
    silent.note("a", after(1));
    silent.note_silence("a", after(2));
    CHECK_FALSE(silent.settled(both, after(1000)));
  }
  SUBCASE("what was answered before the silence counts on") {
    for (int i = 0; i < Doubt::kAnswers; ++i) doubt.note("b", after(50));
    doubt.note_silence("b", after(80));
    CHECK(doubt.settled(both, after(90)));
  }
  SUBCASE("a good answer ends it") {
    for (int i = 0; i < Doubt::kAnswers; ++i) doubt.note("b", after(50));
    doubt.clear();
    CHECK_FALSE(doubt.any());
    CHECK_FALSE(doubt.settled(both, after(1000)));
  }
}

}  // namespace winnow::live
