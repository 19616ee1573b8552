// The election in virtual time: at most one leads, and somebody does as soon as it is safe.
#include <doctest/doctest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "cluster/client/servers/api_servers.h"
#include "cluster/client/watch/leader_election.h"
#include "cluster/client/watch/lease.h"
#include "tests/cluster/client/watch/fake_lease.h"

namespace winnow::live {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::FakeLease;
using test::LeaseWay;
using LeaseFault = LeaseWay::Fault;

/// Keeps what it is told.
struct Diary final : LeaderElectionObserver {
  std::vector<std::string> lines;
  std::vector<std::string> failures;
  void on_started_leading(std::uint64_t term) override { lines.push_back("term " + std::to_string(term)); }
  void on_stopped_leading(LeadEnd end, const std::string& why) override {
    lines.push_back((end == LeadEnd::kLost ? "stopped: " : "given back: ") + why);
  }
  void on_new_leader(const std::string& identity) override { lines.push_back("leader: " + identity); }
  void on_failure(const std::string& error) override { failures.push_back(error); }
};

LeaderElectionOptions options_of(const std::string& identity) {
  return {.resource_namespace = "kube-system", .identity = identity};
}

/// A process that takes part.
struct Candidate {
  Candidate(const std::string& identity, FakeLease& lease, SimClock& clock, std::uint64_t seed,
            std::chrono::seconds skew = {})
      : way(lease, clock),
        servers({"https://one", "https://two"}, clock),
        elector(servers, way, clock, options_of(identity), diary, seed, [&clock, skew] {
          return std::chrono::sys_days(std::chrono::year(2026) / 2 / 3) + skew +
                 std::chrono::duration_cast<std::chrono::microseconds>(clock.now().time_since_epoch());
        }) {}

  LeaseWay way;
  ApiServers servers;
  Diary diary;
  Elector elector;
  bool paused = false;  ///< As a process that the machine does not run.
  bool busy = false;    ///< In a step, which lasts.

  bool leads() const { return elector.term() != 0; }
};

/// Candidates, each with its steps, on one clock.
class World {
 public:
  /// Begins its steps now. @param skew  of the clock on its wall.
  Candidate& join(const std::string& identity, seconds skew = {}) {
    candidates_.push_back(std::make_unique<Candidate>(identity, lease, clock, ++seed, skew));
    Candidate& candidate = *candidates_.back();
    run(candidate);
    return candidate;
  }
  /// Lets that much time pass. Looks ten times a second that at most one leads.
  void pass(Clock::Duration duration) {
    const Clock::Time end = clock.now() + duration;
    while (clock.now() < end) {
      clock.advance_to(std::min(end, clock.now() + milliseconds(100)));
      check();
    }
  }
  void check() const {
    CHECK(std::ranges::count_if(candidates_, [](const auto& one) { return one->leads(); }) <= 1);
  }
  /// Checks that a paused candidate does not lead, and never will when it goes on.
  void check_done(Candidate& candidate) {
    CHECK_FALSE(candidate.leads());
    candidate.paused = false;
    pass(seconds(60));
    CHECK_FALSE(candidate.leads());
  }
  LeaseRecord record() const {
    const auto read = read_lease(lease.json());
    REQUIRE(read);
    return read->record;
  }

  SimClock clock;
  FakeLease lease;
  std::uint64_t seed = 0;

 private:
  void run(Candidate& candidate) {
    Clock::Duration wait = seconds(1);
    if (!candidate.paused && !candidate.busy) {
      candidate.busy = true;
      wait = candidate.elector.step({});
      candidate.busy = false;
    }
    clock.at(clock.now() + std::max<Clock::Duration>(wait, milliseconds(1)),
             [this, &candidate] { run(candidate); });
    check();
  }

  std::vector<std::unique_ptr<Candidate>> candidates_;
};

/// Beyond its period, a candidate waits at most the jitter.
constexpr milliseconds kLongestWait{2000 + 2400};

TEST_SUITE("elector") {
  TEST_CASE("the first one makes the Lease and renews it; the other one waits") {
    World world;
    Candidate& a = world.join("a");
    CHECK(a.elector.term() == 1);
    CHECK(world.record() ==
          LeaseRecord{"a", 15, "2026-02-03T00:00:00.000000Z", "2026-02-03T00:00:00.000000Z", 0});
    Candidate& b = world.join("b");
    CHECK(b.elector.leads_until() <= world.clock.now());
    CHECK(b.elector.leads_until() - std::chrono::hours(1) < b.elector.leads_until());
    world.pass(std::chrono::minutes(10));
    CHECK(a.elector.term() == 1);
    CHECK(b.elector.term() == 0);
    CHECK(b.elector.holder() == "a");
    CHECK(world.record() ==
          LeaseRecord{"a", 15, "2026-02-03T00:00:00.000000Z", "2026-02-03T00:10:00.000000Z", 0});
    CHECK(a.way.asked.size() == 302);  // To look, to create, and each two seconds an update.
    CHECK(a.diary.lines == std::vector<std::string>{"term 1", "leader: a"});
    CHECK(b.diary.lines == std::vector<std::string>{"leader: a"});
    CHECK(a.diary.failures.empty());
    CHECK(b.diary.failures.empty());
  }

  TEST_CASE("when the leader stops to renew, the other one leads when the lease is over, and not before") {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      CAPTURE(seed);
      World world;
      world.seed = 2 * seed;
      Candidate& a = world.join("a");
      Candidate& b = world.join("b");
      world.pass(seconds(60));
      a.paused = true;
      world.pass(seconds(10));
      CHECK_FALSE(a.leads());
      world.pass(seconds(3));  // 13 to 15 s after the last renewal.
      CHECK_FALSE(b.leads());
      world.pass(seconds(2) + 2 * kLongestWait);  // One to have seen the last renewal, one to take.
      CHECK(b.elector.term() == 1);
      CHECK(world.record().holder == "b");
      CHECK(world.record().transitions == 1);
      a.paused = false;
      world.pass(seconds(30));
      CHECK_FALSE(a.leads());
      CHECK(a.diary.lines == std::vector<std::string>{"term 1", "leader: a",
                                                      "stopped: the Lease was not renewed for 10000ms",
                                                      "leader: b"});
    }
  }

  TEST_CASE("what the clocks on the walls show does not matter") {
    for (const seconds skew : {seconds(86400), seconds(-86400), seconds(20), seconds(-20)}) {
      CAPTURE(skew.count());
      World world;
      Candidate& a = world.join("a");
      Candidate& b = world.join("b", skew);
      world.pass(std::chrono::minutes(5));
      CHECK(a.elector.term() == 1);
      a.paused = true;
      world.pass(seconds(13));
      CHECK_FALSE(b.leads());
      world.pass(seconds(2) + 2 * kLongestWait);
      CHECK(b.elector.term() == 1);
      world.pass(std::chrono::minutes(5));
      CHECK(b.elector.term() == 1);
    }
  }

  TEST_CASE("a Lease that is given back is taken at the next try") {
    World world;
    Candidate& a = world.join("a");
    Candidate& b = world.join("b");
    world.pass(seconds(30));
    a.paused = true;
    a.elector.release();
    CHECK_FALSE(a.leads());
    CHECK(world.record() ==
          LeaseRecord{"", 1, "2026-02-03T00:00:30.000000Z", "2026-02-03T00:00:30.000000Z", 0});
    CHECK(a.diary.lines ==
          std::vector<std::string>{"term 1", "leader: a", "given back: it gives the Lease back", "leader: "});
    world.pass(kLongestWait);
    CHECK(b.elector.term() == 1);
    CHECK(world.record().transitions == 1);
    CHECK(b.diary.lines.back() == "leader: b");
    world.check_done(a);
  }

  TEST_CASE("nobody gives back a Lease that somebody else holds, or that cannot be read") {
    World world;
    Candidate& a = world.join("a");
    a.paused = true;
    SUBCASE("somebody else holds it") {
      const std::string others = R"({"holderIdentity":"c","leaseDurationSeconds":15,"leaseTransitions":7})";
      world.lease.set(others);
      a.elector.release();
      CHECK(world.lease.spec == others);
      CHECK(a.diary.failures.empty());
    }
    SUBCASE("it is gone") {
      world.lease.exists = false;
      a.elector.release();
      CHECK(world.lease.created == 1);
    }
    SUBCASE("no API server answers: the end comes by the deadline") {
      a.way.always = LeaseFault::kHangs;
      const Clock::Time start = world.clock.now();
      a.elector.release();
      CHECK(world.clock.now() - start <= seconds(10));
      CHECK(world.record().holder == "a");
    }
    world.check_done(a);
  }

  TEST_CASE("giving back is tried again where a renewal of one's own comes late") {
    World world;
    Candidate& a = world.join("a");
    a.paused = true;
    a.way.before_update = [&] {
      if (a.way.asked.size() < 6) ++world.lease.version;
    };
    a.elector.release();
    CHECK(world.record().holder == "");
    CHECK(a.way.asked.size() ==
          6);  // Beside the two that made the Lease: to look, a conflict; to look, to write.
    CHECK(a.diary.failures.empty());
  }

  TEST_CASE("while no API server answers, the leader leads until the renew deadline, and no longer") {
    for (const LeaseFault fault :
         {LeaseFault::kUnreachable, LeaseFault::kRequestLost, LeaseFault::k500, LeaseFault::k403})
      for (const bool in_time : {true, false}) {
        CAPTURE(static_cast<int>(fault));
        CAPTURE(in_time);
        World world;
        Candidate& a = world.join("a");
        world.pass(seconds(20));  // The last renewal is of now.
        a.way.always = fault;
        world.pass(milliseconds(7900));
        CHECK(a.elector.term() == 1);
        if (in_time) a.way.always = LeaseFault::kNone;
        world.pass(milliseconds(2000));
        CHECK(a.elector.term() == 1);
        world.pass(milliseconds(100));
        CHECK(a.elector.term() == (in_time ? 1 : 0));
        world.pass(seconds(30));
        CHECK(a.elector.term() == (in_time ? 1 : 0));
        a.way.always = LeaseFault::kNone;
        world.pass(kLongestWait);
        CHECK(a.elector.term() == (in_time ? 1 : 2));  // Nobody else has taken it.
        CHECK(world.record().transitions == 0);
        CHECK_FALSE(a.diary.failures.empty());
      }
  }

  TEST_CASE("while its requests hang, the leader leads until the renew deadline, and no longer") {
    World world;
    Candidate& a = world.join("a");
    Candidate& b = world.join("b");
    world.pass(seconds(20));
    a.way.always = LeaseFault::kHangs;
    int looks = 0;
    world.clock.at(after(29.999), [&] {
      ++looks;
      CHECK(a.elector.term() == 1);
    });
    world.clock.at(after(30), [&] {
      ++looks;
      CHECK(a.elector.term() == 0);
    });
    world.clock.at(after(34), [&] {
      ++looks;
      CHECK(b.elector.term() == 0);
    });
    world.pass(seconds(40));
    CHECK(looks == 3);
    CHECK(b.elector.term() == 1);
    CHECK_FALSE(a.leads());
  }

  TEST_CASE(
      "what was written is not believed before it is answered, and an answer that is late counts for "
      "nothing") {
    World world;
    SUBCASE("the answer to the creation is lost") {
      FakeLease& lease = world.lease;
      Candidate a("a", lease, world.clock, 1);
      a.way.faults = {LeaseFault::kNone, LeaseFault::kAnswerLost};
      a.elector.step({});
      CHECK(world.record().holder == "a");
      CHECK_FALSE(a.leads());
      a.elector.step({});
      CHECK(a.leads());
      CHECK(world.record().transitions == 0);
    }
    SUBCASE("the answer to the creation takes as long as a leadership") {
      Candidate a("a", world.lease, world.clock, 1);
      a.way.late = seconds(10);
      a.way.faults = {LeaseFault::kNone, LeaseFault::kAnswerLate};
      a.elector.step({});
      CHECK(world.record().holder == "a");
      CHECK_FALSE(a.leads());
      CHECK(a.diary.lines == std::vector<std::string>{"leader: a"});
    }
    SUBCASE("the answer to a renewal counts from when it was asked for") {
      Candidate a("a", world.lease, world.clock, 1);
      a.elector.step({});
      world.clock.advance(seconds(2));
      a.way.faults = {LeaseFault::kAnswerLate};
      a.elector.step({});
      CHECK(world.clock.now() == after(7));
      CHECK(a.elector.leads_until() == after(12));
    }
    SUBCASE("the answer to a renewal is lost: what it has written is read, and written to") {
      Candidate a("a", world.lease, world.clock, 1);
      a.elector.step({});
      world.clock.advance(seconds(2));
      a.way.faults = {LeaseFault::kAnswerLost};
      a.elector.step({});
      CHECK(a.elector.term() == 1);
      CHECK(a.elector.leads_until() == after(12));
      CHECK(a.diary.failures.empty());
    }
  }

  TEST_CASE("a renewal after the deadline begins another term, though nobody has led in between") {
    World world;
    Candidate a("a", world.lease, world.clock, 1);
    a.elector.step({});
    CHECK(a.elector.term() == 1);
    world.clock.advance(std::chrono::hours(1));  // The machine has not run the process.
    CHECK(a.elector.term() == 0);
    a.elector.step({});
    CHECK(a.elector.term() == 2);
    CHECK(a.diary.lines == std::vector<std::string>{"term 1", "leader: a",
                                                    "stopped: the Lease was not renewed for 10000ms",
                                                    "term 2"});
  }

  TEST_CASE("a process that was not run leads no more when it runs again, and finds who does") {
    World world;
    Candidate& a = world.join("a");
    Candidate& b = world.join("b");
    world.pass(seconds(30));
    a.paused = true;
    world.pass(seconds(60));
    CHECK_FALSE(a.leads());
    CHECK(b.elector.term() == 1);
    a.paused = false;
    world.pass(seconds(60));
    CHECK_FALSE(a.leads());
    CHECK(b.elector.term() == 1);
    CHECK(a.diary.lines.back() == "leader: b");
  }

  TEST_CASE("somebody's edit of the Lease is a conflict, which is read and kept") {
    World world;
    Candidate& a = world.join("a");
    world.pass(seconds(3));
    world.lease.labels = R"({"team":"x"})";
    ++world.lease.version;
    world.pass(seconds(30));
    CHECK(a.elector.term() == 1);
    CHECK(world.lease.labels == R"({"team":"x"})");
    CHECK(a.diary.failures.empty());
  }

  TEST_CASE("who finds another holder leads no more at once") {
    World world;
    Candidate& a = world.join("a");
    world.pass(seconds(3));
    world.lease.set(R"({"holderIdentity":"c","leaseDurationSeconds":15,"leaseTransitions":7})");
    world.pass(seconds(2));
    CHECK_FALSE(a.leads());
    CHECK(a.diary.lines.back() == "leader: c");
    CHECK(a.diary.lines[2] == "stopped: the Lease is held by c");
    world.pass(seconds(15) + kLongestWait);
    CHECK(a.elector.term() == 2);
    CHECK(world.record().transitions == 8);
  }

  TEST_CASE("a Lease without a holder is taken, and begins another term") {
    World world;
    Candidate& a = world.join("a");
    world.pass(seconds(3));
    world.lease.set(R"({"holderIdentity":"","leaseDurationSeconds":1,"leaseTransitions":1})");
    world.pass(seconds(2));
    CHECK(a.elector.term() == 2);
    CHECK(world.record().transitions == 2);
  }

  TEST_CASE("whatever a Lease holds, it is taken once nobody has written to it for as long as it says") {
    struct Row {
      const char* what;
      const char* spec;
      seconds waits;  ///< Beyond the waits of a candidate.
    };
    const Row rows[] = {
        {"all is there",
         R"({"holderIdentity":"c","leaseDurationSeconds":20,"acquireTime":"2036-01-01T00:00:00.000000Z","renewTime":"2036-01-01T00:00:00.000000Z","leaseTransitions":1})",
         seconds(20)},
        {"no duration", R"({"holderIdentity":"c"})", seconds(0)},
        {"a duration below zero", R"({"holderIdentity":"c","leaseDurationSeconds":-5})", seconds(0)},
        {"a duration that is none", R"({"holderIdentity":"c","leaseDurationSeconds":"x"})", seconds(0)},
        {"times that are none",
         R"({"holderIdentity":"c","leaseDurationSeconds":5,"acquireTime":"soon","renewTime":7})", seconds(5)},
        {"no holder", R"({"leaseDurationSeconds":500})", seconds(0)},
        {"null", R"({"holderIdentity":null,"leaseDurationSeconds":null,"renewTime":null})", seconds(0)},
        {"nothing", "{}", seconds(0)},
        {"no spec", "null", seconds(0)},
    };
    for (const Row& row : rows) {
      CAPTURE(row.what);
      World world;
      world.lease.set(row.spec);
      Candidate& a = world.join("a");
      if (row.waits > seconds(0)) world.pass(row.waits - seconds(1));
      CHECK((row.waits == seconds(0) || !a.leads()));
      world.pass(seconds(1) + kLongestWait);
      CHECK(a.elector.term() == 1);
      CHECK(world.record().holder == "a");
    }
  }

  TEST_CASE("a duration without an end is waited for") {
    World world;
    world.lease.set(R"({"holderIdentity":"c","leaseDurationSeconds":9223372036854775807})");
    Candidate& a = world.join("a");
    world.pass(std::chrono::minutes(10));
    CHECK_FALSE(a.leads());
  }

  TEST_CASE("what is no Lease is a failure that says so") {
    World world;
    Candidate a("a", world.lease, world.clock, 1);
    a.way.always = LeaseFault::k403;
    a.elector.step({});
    world.lease.set(R"({},"kind":"Proxy","x":{"a":1})");
    a.way.always = LeaseFault::kNone;
    a.elector.step({});
    world.lease.set("{");
    a.elector.step({});
    REQUIRE(a.diary.failures.size() == 3);
    CHECK(
        a.diary.failures[0] ==
        "Lease kube-system/winnow-nominator: the API server denies Winnow a right: 403: leases is forbidden");
    CHECK(a.diary.failures[1].contains("the answer is not a Lease: its kind is"));
    CHECK(a.diary.failures[2].contains("the answer is not JSON"));
    CHECK_FALSE(a.leads());
  }

  TEST_CASE("a Lease that was deleted by hand is made again by its leader, which leads on") {
    World world;
    Candidate& a = world.join("a");
    world.pass(seconds(3));
    world.lease.exists = false;
    world.pass(seconds(2));
    CHECK(world.lease.created == 2);
    CHECK(a.elector.term() == 1);
    CHECK(world.record().transitions == 0);
  }

  TEST_CASE("after a stop request nothing fails aloud") {
    World world;
    Candidate a("a", world.lease, world.clock, 1);
    std::stop_source stop;
    stop.request_stop();
    a.elector.step(stop.get_token());
    CHECK(a.way.asked.empty());
    CHECK(a.diary.failures.empty());
  }

  TEST_CASE("whatever fails, and whoever pauses, at most one leads; and in the end one does") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
      CAPTURE(seed);
      std::mt19937_64 random(seed);
      const auto below = [&](std::uint64_t most) { return random() % most; };
      World world;
      world.seed = 100 * seed;
      std::vector<Candidate*> all;
      for (const char* name : {"a", "b", "c"})
        all.push_back(&world.join(name, seconds(below(200)) - seconds(100)));
      for (int i = 0; i < 60; ++i) {
        Candidate& one = *all[below(all.size())];
        switch (below(4)) {
          case 0:
            one.paused = !one.paused;
            break;
          case 1:
            one.way.always = static_cast<LeaseFault>(below(8));
            one.way.late = milliseconds(below(20'000));
            break;
          case 2:
            for (auto n = below(4); n > 0; --n) one.way.faults.push_back(static_cast<LeaseFault>(below(8)));
            break;
          default:
            one.way.always = LeaseFault::kNone;
        }
        world.pass(milliseconds(below(15'000)));
      }
      for (Candidate* one : all) {
        one->paused = false;
        one->way.always = LeaseFault::kNone;
        one->way.faults.clear();
      }
      world.pass(seconds(60));
      CHECK(std::ranges::count_if(all, [](const Candidate* one) { return one->leads(); }) == 1);
    }
  }
}

}  // namespace
}  // namespace winnow::live
