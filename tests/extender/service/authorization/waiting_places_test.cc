// Places of those who wait, by client.
#include <doctest/doctest.h>

#include <string>

#include "extender/service/authorization/shared_answers.h"
#include "tests/cluster/manual_clock.h"

namespace winnow {
namespace {

TEST_SUITE("waiting places") {
  TEST_CASE("which connections are one client's") {
    struct Row {
      const char* sentence;
      const char *one, *other;
      bool same;
    };
    const Row rows[] = {
        {"two ports", "10.0.0.1:1", "10.0.0.1:65535", true},
        {"two addresses", "10.0.0.1:1", "10.0.0.2:1", false},
        {"two addresses of one network of IPv6", "[2001:db8:1:2::3]:1", "[2001:db8:1:2:4:5:6:7]:2", true},
        {"two networks of IPv6", "[2001:db8:1:2::3]:1", "[2001:db8:1:3::3]:1", false},
        {"two addresses of IPv4 on a listener of both", "[::ffff:10.0.0.1]:1", "[::ffff:10.0.0.2]:1", false},
        {"one address of IPv4 on a listener of both", "[::ffff:10.0.0.1]:1", "[::ffff:10.0.0.1]:2", true},
    };
    for (const Row& row : rows) {
      CAPTURE(row.sentence);
      CHECK((client_of(row.one) == client_of(row.other)) == row.same);
    }
  }

  TEST_CASE("no client takes all, nobody takes those of known tokens, and what is given back is free") {
    live::test::ManualClock clock;
    WaitingPlaces places(clock, 3, 2, 10);
    CHECK(places.take("a", false));
    CHECK(places.take("a", false));
    CHECK_FALSE(places.take("a", false));
    CHECK(places.take("b", false));
    CHECK_FALSE(places.take("c", false));
    for (int i = 0; i < 3; ++i) CHECK(places.take("a", true));
    CHECK_FALSE(places.take("b", true));
    places.give_back("a", true);
    CHECK(places.take("b", true));
    places.give_back("a", false);
    CHECK(places.take("c", false));
    CHECK_FALSE(places.take("a", false));
    places.give_back("c", false);
    CHECK(places.take("", false));  // The last one.
    CHECK_FALSE(places.take("", false));
    places.give_back("", false);
    CHECK(places.take("c", false));
  }

  TEST_CASE("a token is known for ten minutes after it was good, and so many are") {
    live::test::ManualClock clock;
    WaitingPlaces places(clock, 3, 2, 2);
    CHECK_FALSE(places.is_known("a"));
    places.note_good("a");
    clock.advance(std::chrono::minutes(9));
    places.note_good("a");
    clock.advance(std::chrono::minutes(9));
    CHECK(places.is_known("a"));
    places.note_good("b");
    CHECK(places.is_known("a"));
    clock.advance(std::chrono::minutes(1));
    CHECK_FALSE(places.is_known("a"));
    places.note_good("c");
    CHECK(places.is_known("b"));
    places.note_good("d");
    CHECK_FALSE(places.is_known("b"));
    CHECK(places.is_known("d"));
  }
}

}  // namespace
}  // namespace winnow
