#include "tests/cluster/client/watch/live_seed.h"

#include <algorithm>

#include "tests/failing_memory.h"

namespace winnow::live {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

/// The most requests that a client may send in any minute. The worst case is a watch that breaks every
/// second, because a watch is repeated at once.
constexpr std::size_t kMostInAMinute = 90;
/// The time after the last fault in which all reflectors must be up to date. It covers the longest back-off,
/// and before it a wait that a server has asked for, or a silent watch.
constexpr seconds kConverges{180};
constexpr minutes kRestoreSeen{5};
/// More than a well server takes for the head of an answer.
constexpr std::chrono::milliseconds kRoundTrip{25};

class Maker {
 public:
  Maker(std::uint64_t seed, SeededWorld& made) : random_(seed * 0x9e3779b97f4a7c15ull + 1), made_(made) {}

  void make() {
    made_.healed = after(1200);
    made_.world.resources = {{"nodes", "/api/v1/nodes", "Node", ""},
                             {"pods", "/api/v1/pods", "Pod", "status.phase!=Succeeded"},
                             {"services", "/api/v1/services", "Service", ""}};
    make_servers();
    make_history();
    made_.converged =
        made_.healed + (made_.restored ? Clock::Duration(kRestoreSeen) : Clock::Duration(kConverges));
    made_.end = made_.converged + minutes(15);
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }

  void make_servers() {
    const std::size_t count = 1 + below(3);
    for (std::size_t i = 0; i < count; ++i) {
      FakeApiServer server{.url = std::string("https://") + static_cast<char>('a' + i)};
      server.lag = std::chrono::milliseconds(one_in(3) ? below(20'000) : below(300));
      // A single server that contradicts itself looks like a restored etcd, so this needs several.
      server.quorum_from_cache = count > 1 && one_in(5);
      server.ignores_not_older = one_in(4);
      server.replays_old = one_in(4);
      server.sends_old_bookmarks = one_in(3);
      server.errors_in_stream = one_in(2);
      server.too_large_style = static_cast<int>(below(3));
      for (std::uint64_t faults = 4 + below(16); faults > 0; --faults) server.faults.push_back(fault());
      made_.world.servers.push_back(std::move(server));
    }
    made_.world.history = seconds(20 + below(600));
  }

  Fault fault() {
    const auto kind = static_cast<Fault::Kind>(below(kFirstFaultKinds));
    const auto from = after(static_cast<double>(below(1150)));
    const auto lasts = seconds(one_in(3) ? 60 + below(540) : 1 + below(60));
    return {kind, from, std::min(from + lasts, made_.healed)};
  }

  /// Makes steady changes with bursts and quiet times, until all servers are well. A restore loses the last
  /// minutes.
  void make_history() {
    double at = -600;
    const double restore = one_in(6) ? 300 + static_cast<double>(below(800)) : 1e9;
    while (at < 1195) {
      at += one_in(20)  ? static_cast<double>(below(120))
            : one_in(3) ? 0
                        : static_cast<double>(below(6'000)) / 1e3;
      if (at >= restore && !made_.restored) this->restore(restore);
      change(after(std::min(at, 1199.0)));
    }
  }

  void restore(double at) {
    // The backup is old enough that the new history stays below the known versions until the restore is
    // noticed.
    const FakeEtcd::Version now = made_.world.etcd.version(after(at));
    made_.world.etcd.restore(after(at), now > 30'000 ? now - 30'000 : 2);
    made_.restored = true;
  }

  void change(Clock::Time at) {
    FakeEtcd& etcd = made_.world.etcd;
    const Resource& resource = made_.world.resources[std::min<std::uint64_t>(below(4), 2)];
    const std::string name = resource.name + "-" + std::to_string(below(24));
    const FakeEtcd::Era& era = etcd.eras().back();
    const bool there = etcd.has(resource, name);
    const FakeEtcd::Version skip = made_.restored ? 0 : below(200);
    if (there && one_in(3))
      etcd.remove(at, resource, name, skip);
    else
      etcd.set(at, resource, name, std::string(below(60), 'x') + std::to_string(era.last()), skip);
  }

  std::mt19937_64 random_;
  SeededWorld& made_;
};

/// Adds the later faults to a world.
class LaterMaker {
 public:
  LaterMaker(std::uint64_t seed, SeededWorld& made)
      : random_(seed * 0xd1342543de82ef95ull + 7), made_(made) {}

  void make() {
    FakeWorld& world = made_.world;
    while (world.servers.size() < 4 && one_in(3))
      world.servers.push_back(
          {.url = std::string("https://") + static_cast<char>('a' + world.servers.size())});
    for (FakeApiServer& server : world.servers) {
      // With servers of so different ages, one that pretends to ask etcd cannot be told from a restored etcd.
      server.quorum_from_cache = false;
      for (std::uint64_t faults = 1 + below(6); faults > 0; --faults) server.faults.push_back(fault());
    }
    if (one_in(3)) make_ages();
    if (one_in(3)) make_client_certificate();
    if (one_in(4)) make_balancer();
    if (one_in(2)) make_client_time();
    if (one_in(2)) make_short_of_memory();
    if (one_in(2)) make_streams();
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  Clock::Time any_time() { return after(static_cast<double>(below(1150))); }
  Clock::Duration some_time() { return seconds(one_in(3) ? 60 + below(540) : 1 + below(60)); }

  Fault fault() {
    using enum Fault::Kind;
    constexpr Fault::Kind kKinds[] = {kBehind, kRestarted, kCutBodies, kUnordered, kCertificate};
    const Fault::Kind kind = kKinds[below(std::size(kKinds))];
    const Clock::Time from = any_time();
    return {kind, from, std::min(from + some_time(), made_.healed), seconds(5 + below(900))};
  }

  /// All servers but one are behind for the whole time, each by its own.
  void make_ages() {
    for (FakeApiServer& server : made_.world.servers)
      if (&server != &made_.world.servers.front())
        server.faults.push_back(
            {Fault::Kind::kBehind, Clock::Time(seconds(-600)), made_.healed, seconds(1 + below(1800))});
  }

  void make_client_certificate() {
    const Clock::Time from = any_time();
    const Clock::Time to = std::min(from + some_time(), made_.healed);
    for (FakeApiServer& server : made_.world.servers)
      server.faults.push_back({Fault::Kind::kClientCertificate, from, to});
  }

  void make_balancer() {
    FakeBalancer& balancer = made_.world.balancer;
    balancer.url = "https://balancer";
    if (one_in(3)) return;
    for (Clock::Time at{}; at < made_.end; at += seconds(5 + below(one_in(3) ? 30 : 400)))
      balancer.turns.push_back({at, below(made_.world.servers.size())});
  }

  /// Jumps between the suspensions, and not in them.
  void make_client_time() {
    ClientTime& client = made_.world.client;
    Clock::Time at = after(static_cast<double>(10 + below(400)));
    while (at < made_.healed - minutes(4)) {
      if (one_in(2)) {
        client.jumps.push_back({at, seconds(one_in(2) ? 1 + below(300) : 3600 * (1 + below(24)))});
      } else {
        const Clock::Duration lasts = seconds(1 + below(180));
        client.suspensions.push_back({at, at + lasts});
        at += lasts;
      }
      at += seconds(1 + below(one_in(2) ? 20 : 600));
    }
  }

  /// In an upgrade some servers stream lists, and others do not.
  void make_streams() {
    for (Resource& resource : made_.world.resources) resource.streams_lists = true;
    for (FakeApiServer& server : made_.world.servers) server.streams_lists = !one_in(4);
  }

  void make_short_of_memory() {
    for (std::uint64_t periods = 1 + below(3); periods > 0; --periods) {
      const Clock::Time from = one_in(4) ? Clock::Time() : any_time();
      made_.world.short_of_memory.emplace_back(from, std::min(from + some_time(), made_.healed));
    }
  }

  std::mt19937_64 random_;
  SeededWorld& made_;
};

/// Takes from a run what is counted and told.
SeedResult result_of(SimReflector& run) {
  SeedResult result;
  for (const std::string& text : run.sink.violations)
    result.violations.push_back(run.resource.name + ": " + text);
  const std::size_t most = run.transport.most_in_a_minute();
  if (most > kMostInAMinute)
    result.violations.push_back(run.resource.name + ": " + std::to_string(most) + " requests in a minute");
  result.most_in_a_minute = most;
  result.requests = run.transport.sent.size();
  result.events = run.sink.events;
  result.lists = run.sink.lists;
  result.lost_caches = run.cache ? run.cache->losses() : 0;
  std::ranges::copy(run.sink.troubles, result.troubles);
  result.story.push_back("--- " + run.resource.name);
  result.story.insert(result.story.end(), run.story.begin(), run.story.end());
  return result;
}

/// Whether the server that was asked last cannot be told from one of a restored etcd: it says to have asked
/// etcd and has not, and no other server has had a word for so long that nobody waits for it.
bool looks_restored(const SimReflector& run) {
  const auto tells_old = [](const FakeApiServer& server) { return server.quorum_from_cache; };
  const auto is_gone = [&](const FakeApiServer& server) {
    const auto last = run.transport.answered.find(server.url);
    return last == run.transport.answered.end() || run.clock.now() - last->second >= RestoreDetector::kGone;
  };
  const FakeApiServer* const asked = run.world.server(run.transport.sent.back().server);
  return asked && tells_old(*asked) &&
         std::ranges::all_of(run.world.servers, [&](const FakeApiServer& server) {
           return tells_old(server) || is_gone(server);
         });
}

/// Whether the present time is between two watches: the server has ended one by its timeoutSeconds, and the
/// request for the next one was sent at that very time. It has not been answered yet.
///
/// A correct client must be there at times. It asks for a timeout, so that a hanging watch ends, and the
/// server ends the watch then. client-go asks for 5 to 10 minutes, and sends the next request when the last
/// watch has ended (tools/cache/reflector.go v0.37.0, the loop of Reflector.watch). So no watch is open for
/// one round trip. Any other end of a watch, a request that was sent later, and a longer wait are violations.
bool is_between_watches(const SimReflector& run) {
  const FakeTransport::Sent& last = run.transport.sent.back();
  return run.reflector.status().synced && last.at == run.transport.timed_out &&
         run.clock.now() - last.at < kRoundTrip && last.path.ends_with("&watch=true");
}

SeedResult run_resource(const SeededWorld& seeded, const Resource& resource, std::uint64_t seed,
                        Faults faults) {
  const std::uint64_t failed_before = test::failed_allocations();
  SimReflector run(seeded.world, resource, seed, faults);
  run.sink.misses_events = faults == Faults::kAll;
  std::size_t excused = 0;
  run.sink.rewound = [&] { excused += looks_restored(run) ? 1 : 0; };
  const auto check_connected = [&](const char* when) {
    if (!run.reflector.status().synced || !run.reflector.status().connected)
      run.sink.violations.push_back(std::string(when) + ": not connected");
  };
  run.clock.at(seeded.converged, [&] {
    if (const std::string wrong = run.compare(); !wrong.empty())
      run.sink.violations.push_back("converged: " + wrong);
    // The next watch must open, and it lasts for minutes.
    if (is_between_watches(run))
      run.clock.at(run.transport.timed_out + kRoundTrip, [&] { check_connected("after a round trip"); });
    else
      check_connected("converged");
  });
  if (const std::string wrong = run.run_until(seeded.end); !wrong.empty())
    run.sink.violations.push_back("at the end: " + wrong);
  if (run.sink.rewinds - excused > (seeded.restored ? 1 : 0))
    run.sink.violations.push_back("went back without need");
  SeedResult result = result_of(run);
  result.failed_allocations = test::failed_allocations() - failed_before;
  return result;
}

/// The blocks that a run has left behind, beside its result.
std::int64_t leaked_blocks(const SeededWorld& seeded, const Resource& resource, std::uint64_t seed) {
  const std::int64_t before = test::live_blocks();
  const SeedResult result = run_resource(seeded, resource, seed, Faults::kAll);
  const std::int64_t after_run = test::live_blocks();
  const SeedResult copy = result;  // It has as many blocks as the result.
  return after_run - before - (test::live_blocks() - after_run);
}

}  // namespace

SimReflector::SimReflector(const FakeWorld& from, const Resource& what, std::uint64_t seed, Faults faults)
    : world(from),
      resource(what),
      client(clock, from.client),
      transport(world, clock, seed),
      cache(faults == Faults::kAll ? std::make_unique<RealCache>(what.name, sink) : nullptr),
      servers(world.urls(), client),
      reflector(resource, cache ? static_cast<ObjectSink&>(*cache) : sink, servers, transport, client, sink,
                seed + 1) {
  sink.tell = transport.tell = [this](const std::string& line) {
    const auto now = std::chrono::duration<double>(clock.now().time_since_epoch()).count();
    story.push_back(std::to_string(now) + " " + line);
  };
  if (cache) cache->on_loss([this] { reflector.list_again(); });
  for (const auto& period : from.short_of_memory) clock.at(period.second, test::mend_memory);
}

std::string SimReflector::run_until(Clock::Time time) {
  std::stop_source stop;
  std::string wrong;
  clock.at(time, [&] {
    wrong = compare();
    stop.request_stop();
  });
  {
    const test::CodeUnderTest code;
    reflector.run(stop.get_token());
  }
  test::mend_memory();
  return wrong;
}

std::string SimReflector::compare() const {
  const FakeEtcd::Objects truth = world.etcd.objects(clock.now(), resource.name);
  std::string wrong = sink.compare(truth);
  return wrong.empty() && cache ? cache->compare(truth) : wrong;
}

SeededWorld::SeededWorld(std::uint64_t seed, Faults faults) {
  Maker(seed, *this).make();
  world.is_large = seed % 6 == 0;
  if (faults == Faults::kAll) LaterMaker(seed, *this).make();
}

void SeedResult::add(const SeedResult& part) {
  violations.insert(violations.end(), part.violations.begin(), part.violations.end());
  story.insert(story.end(), part.story.begin(), part.story.end());
  requests += part.requests;
  events += part.events;
  lists += part.lists;
  failed_allocations += part.failed_allocations;
  lost_caches += part.lost_caches;
  most_in_a_minute = std::max(most_in_a_minute, part.most_in_a_minute);
  for (std::size_t i = 0; i < kWatchErrors; ++i) troubles[i] += part.troubles[i];
}

SeedResult run_seed(std::uint64_t seed, Faults faults) {
  const SeededWorld seeded(seed, faults);
  SeedResult result;
  for (std::size_t i = 0; i < seeded.world.resources.size(); ++i) {
    const Resource& resource = seeded.world.resources[i];
    result.add(run_resource(seeded, resource, seed * 16 + i, faults));
    // A block that is there for good, such as a table made at its first use, is made in the first run.
    if (faults == Faults::kAll && leaked_blocks(seeded, resource, seed * 16 + i) != 0)
      result.violations.push_back(resource.name + ": leaks memory");
  }
  return result;
}

}  // namespace winnow::live
