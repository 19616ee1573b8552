// Reflectors with several servers: lagging servers, restored backups, outages, and many clients at once.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/cluster/client/watch/live_seed.h"
#include "tests/cluster/client/watch/script.h"
#include "tests/part.h"

namespace winnow::live {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

const Resource kPods = {"pods", "/api/v1/pods", "Pod", ""};

/// Three servers, with a change every `every` seconds until `end`.
FakeWorld three_servers(double end, double every = 2) {
  FakeWorld world;
  for (const char* url : {"https://a", "https://b", "https://c"}) world.servers.push_back({.url = url});
  world.resources = {kPods};
  int i = 0;
  for (double at = -60; at < end; at += every, ++i)
    world.etcd.set(after(at), kPods, "pod-" + std::to_string(i % 50), std::to_string(i), 9);
  return world;
}

std::string failures(const SimReflector& run) {
  std::string text;
  for (const std::string& violation : run.sink.violations) text += violation + "\n";
  return text;
}

std::size_t requests(const SimReflector& run, double from, double to) {
  return static_cast<std::size_t>(std::ranges::count_if(
      run.transport.sent, [&](const auto& sent) { return sent.at >= after(from) && sent.at < after(to); }));
}

Step unreachable() { return fails(TransportError::Kind::kUnreachable); }

Step lasting(double time, Step step) {
  step.lasts = time;
  return step;
}

}  // namespace

TEST_CASE("a thousand failovers over three servers, one ten minutes behind, and never back in time") {
  // Each server goes down for a moment again and again, in turns. The cache of b stands still for ten minutes
  // at a time, and b answers every list from it.
  constexpr double kEnd = 40'000 / winnow::test::kPart;
  FakeWorld world = three_servers(kEnd, 20);
  FakeApiServer& frozen = world.servers[1];
  frozen.quorum_from_cache = frozen.ignores_not_older = frozen.replays_old = frozen.sends_old_bookmarks =
      true;
  for (double at = 0; at + 600 < kEnd; at += 605)
    frozen.faults.push_back({Fault::Kind::kFrozen, after(at), after(at + 600)});
  for (int i = 0; i * 16 < kEnd; ++i)
    world.servers[static_cast<std::size_t>(i) % 3].faults.push_back(
        {Fault::Kind::kDown, after(i * 16.0), after(i * 16.0 + 2)});
  SimReflector run(world, kPods, 5);
  const std::string wrong = run.run_until(after(kEnd + 700));
  const std::size_t failovers = run.sink.count(WatchError::kBroken) +
                                run.sink.count(WatchError::kUnreachable) + run.sink.count(WatchError::kOlder);
  CHECK(failovers >= 1000 / winnow::test::kPart);
  CHECK(run.sink.count(WatchError::kOlder) >= 100 / winnow::test::kPart);
  CHECK(failures(run) == "");
  CHECK(run.sink.rewinds == 0);
  CHECK(wrong == "");
}

TEST_CASE("a restored etcd is recovered from within five minutes") {
  struct Row {
    const char* sentence;
    Fault::Kind meanwhile;  ///< What happens to connections when etcd is restored.
    bool old_bookmarks, ignores_not_older, quiet;
  };
  const Row rows[] = {
      {"connections break, watches from the future are silent", Fault::Kind::kDown, false, false, false},
      {"connections break, nothing is written afterwards", Fault::Kind::kDown, false, false, true},
      {"nobody tells the clients", Fault::Kind::kHalfOpen, false, false, true},
      {"servers tell how old they are", Fault::Kind::kDown, true, true, false},
  };
  for (const Row& row : rows)
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      CAPTURE(row.sentence);
      CAPTURE(seed);
      FakeWorld world = three_servers(1000);
      world.etcd.restore(after(1000), 2000);
      for (int i = 0; i < (row.quiet ? 1 : 60); ++i)
        world.etcd.set(after(1001 + i * 4), kPods, "new-" + std::to_string(i), "x");
      for (FakeApiServer& server : world.servers) {
        server.sends_old_bookmarks = row.old_bookmarks;
        server.ignores_not_older = row.ignores_not_older;
        server.faults.push_back({row.meanwhile, after(999), after(1001)});
      }
      SimReflector run(world, kPods, seed);
      std::string then = "not checked";
      run.clock.at(after(1300), [&] { then = run.compare(); });
      run.run_until(after(1400));
      CHECK(then == "");
      CHECK(run.sink.rewinds == 1);
      CHECK(failures(run) == "");
    }
}

TEST_CASE("a restored etcd is recovered from though one configured server is gone for good") {
  for (std::uint64_t seed = 1; seed <= 8; ++seed)
    for (const Fault::Kind gone : {Fault::Kind::kDown, Fault::Kind::kHung}) {
      CAPTURE(seed);
      FakeWorld world = three_servers(1000);
      world.etcd.restore(after(1000), 2000);
      for (int i = 0; i < 200; ++i)
        world.etcd.set(after(1001 + i * 4), kPods, "new-" + std::to_string(i), "x");
      for (FakeApiServer& server : world.servers)
        server.faults.push_back({Fault::Kind::kDown, after(999), after(1001)});
      world.servers[0].faults.push_back({gone, after(900), after(5000)});
      SimReflector run(world, kPods, seed);
      std::string then = "not checked";
      run.clock.at(after(1700), [&] { then = run.compare(); });
      run.run_until(after(1750));
      CHECK(then == "");
      CHECK(run.sink.rewinds == 1);
      CHECK(failures(run) == "");
    }
}

TEST_CASE("without a restore nobody goes back, however long the others lag") {
  // With `from_cache` the lagging servers answer even a list of the newest from their caches. Then the server
  // that is ahead may be away for less than RestoreDetector::kGone only. If they ask etcd, it may be away for
  // any time.
  for (const bool from_cache : {true, false}) {
    CAPTURE(from_cache);
    FakeWorld world = three_servers(3000);
    SimReflector before(world, kPods, 1);
    before.run_until(after(500));
    for (FakeApiServer& server : world.servers) {
      server.quorum_from_cache = from_cache;
      server.ignores_not_older = true;
      if (server.url == before.reflector.status().server)
        server.faults.push_back({Fault::Kind::kDown, after(900), after(from_cache ? 1130 : 1900)});
      else
        server.faults.push_back({Fault::Kind::kFrozen, after(600), after(2000)});
    }
    SimReflector run(world, kPods, 1);
    const std::string wrong = run.run_until(after(3200));
    CHECK(run.sink.rewinds == 0);
    CHECK(run.sink.count(WatchError::kOlder) > (from_cache ? 10 : 0));
    CHECK(failures(run) == "");
    CHECK(wrong == "");
  }
}

TEST_CASE("without a restore nobody goes back, though all caches are behind what etcd has told") {
  // The caches of both servers stand still from before the first list. The list comes from etcd, so that even
  // the server that sent it is behind it. The other one answers lists of the newest from its cache.
  std::size_t older = 0, first_from_etcd = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    CAPTURE(seed);
    FakeWorld world = three_servers(1000);
    world.servers.pop_back();
    FakeApiServer& other = world.servers[seed % 2];
    other.quorum_from_cache = true;
    for (FakeApiServer& server : world.servers)
      server.faults.push_back({Fault::Kind::kFrozen, after(-50), after(900)});
    SimReflector run(world, kPods, seed);
    const std::string wrong = run.run_until(after(1200));
    if (run.transport.sent.front().server != other.url) ++first_from_etcd;
    older += run.sink.count(WatchError::kOlder);
    CHECK(run.sink.rewinds == 0);
    CHECK(failures(run) == "");
    CHECK(wrong == "");
  }
  CHECK(first_from_etcd > 0);
  CHECK(older > 0);
}

TEST_CASE("a server that has answered in the last four minutes is not gone, whatever it answered") {
  // One server is older. The other one is silent, then answers once, and is silent again.
  struct Row {
    const char* sentence;
    Step answer;
  };
  const Row rows[] = {
      {"a page that makes no sense", body(200, "<html>please log in</html>")},
      {"a list without a resource version", page("", {})},
      {"more than is taken in", fails(TransportError::Kind::kOversized)},
      {"a refusal", says(500, "InternalError")},
  };
  for (const Row& row : rows) {
    CAPTURE(row.sentence);
    Script script({"https://a", "https://b"});
    script.run({page("10", {}), stream({bookmark("9")}), unreachable(), lasting(150, page("9", {})),
                row.answer, lasting(100, unreachable()), page("9", {}), page("9", {})});
    CHECK(script.sink.count(WatchError::kOlder) == 4);
    CHECK(script.sink.rewinds == 0);
  }
}

TEST_CASE("a server that has opened a watch in the last four minutes is not gone, though nothing came") {
  Script script({"https://a", "https://b"});
  script.run({page("10", {}), unreachable(), unreachable(), breaks(stream({}, 200)), stream({bookmark("9")}),
              lasting(50, unreachable()), lasting(50, page("9", {})), unreachable()});
  // While all servers that are not gone are older, a list is asked for instead of the last probe.
  CHECK(script.story() ==
        "list, watch from 10, watch from 10, watch from 10, watch from 10, "
        "probe from 10, probe from 10, probe from 10");
}

TEST_CASE("while all servers are down, few requests are sent, and none of them is a list") {
  FakeWorld world = three_servers(3000);
  world.history = std::chrono::hours(1);
  for (FakeApiServer& server : world.servers)
    server.faults.push_back({Fault::Kind::kDown, after(1000), after(2000)});
  std::size_t first = 0, later = 0, lists = 0, late = 0;
  constexpr std::uint64_t kClients = 50;
  for (std::uint64_t seed = 1; seed <= kClients; ++seed) {
    SimReflector run(world, kPods, seed);
    run.clock.at(after(2070), [&] {
      if (!run.reflector.status().connected) ++late;
    });
    CHECK(run.run_until(after(2501)) == "");
    first += requests(run, 1000, 1060);
    later += requests(run, 1060, 2000);
    lists += run.sink.lists - 1;
    CHECK(failures(run) == "");
  }
  CHECK(first / kClients <= 24);                // In the first minute, while waits are short.
  CHECK(double(later) / kClients / 940 < 0.1);  // Afterwards, by second and client.
  CHECK(lists == 0);
  CHECK(late == 0);
}

TEST_CASE("when one of three servers goes, its clients move to the others without a list") {
  FakeWorld world = three_servers(3000);
  world.servers[0].faults.push_back({Fault::Kind::kDown, after(1000), after(2000)});
  std::size_t lists = 0;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SimReflector run(world, kPods, seed);
    bool connected = false;
    run.clock.at(after(1004), [&] { connected = run.reflector.status().connected; });
    run.run_until(after(1800));
    CHECK(connected);
    CHECK(run.reflector.status().server != "https://a");
    lists += run.sink.lists - 1;
  }
  CHECK(lists == 0);
}

TEST_CASE("a server that came back gets its share in time, and never all at once") {
  FakeWorld world = three_servers(1000);
  world.servers[0].faults.push_back({Fault::Kind::kDown, after(0), after(1000)});
  constexpr int kClients = 60;
  int back = 0;
  std::map<Clock::Duration::rep, int> by_minute;
  for (std::uint64_t seed = 1; seed <= kClients; ++seed) {
    SimReflector run(world, kPods, seed);
    run.run_until(after(4 * 3600));
    if (run.reflector.status().server == "https://a") ++back;
    for (const auto& sent : run.transport.sent)
      if (sent.server == "https://a" && sent.at > after(1000)) {
        ++by_minute[std::chrono::floor<minutes>(sent.at.time_since_epoch()).count()];
        break;
      }
  }
  CHECK(back > kClients / 6);
  for (const auto& [minute, moved] : by_minute) CHECK(moved < kClients / 6);
}

}  // namespace winnow::live
