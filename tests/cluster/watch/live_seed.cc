#include "tests/cluster/watch/live_seed.h"

#include <algorithm>

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
    const auto kind = static_cast<Fault::Kind>(below(kFaultKinds));
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

std::vector<std::string> urls(const FakeWorld& world) {
  std::vector<std::string> urls;
  for (const FakeApiServer& server : world.servers) urls.push_back(server.url);
  return urls;
}

void add(SeedResult& result, const SimReflector& run) {
  for (const std::string& text : run.sink.violations)
    result.violations.push_back(run.resource.name + ": " + text);
  const std::size_t most = run.transport.most_in_a_minute();
  if (most > kMostInAMinute)
    result.violations.push_back(run.resource.name + ": " + std::to_string(most) + " requests in a minute");
  result.most_in_a_minute = std::max(result.most_in_a_minute, most);
  result.requests += run.transport.sent.size();
  result.events += run.sink.events;
  result.lists += run.sink.lists;
  for (std::size_t i = 0; i < kWatchErrors; ++i) result.troubles[i] += run.sink.troubles[i];
  result.story.push_back("--- " + run.resource.name);
  result.story.insert(result.story.end(), run.story.begin(), run.story.end());
}

}  // namespace

SimReflector::SimReflector(const FakeWorld& from, const Resource& what, std::uint64_t seed)
    : world(from),
      resource(what),
      transport(world, clock, seed),
      servers(urls(world), clock),
      reflector(resource, sink, servers, transport, clock, sink, seed + 1) {
  sink.tell = transport.tell = [this](const std::string& line) {
    const auto now = std::chrono::duration<double>(clock.now().time_since_epoch()).count();
    story.push_back(std::to_string(now) + " " + line);
  };
}

std::string SimReflector::run_until(Clock::Time time) {
  std::stop_source stop;
  std::string wrong;
  clock.at(time, [&] {
    wrong = compare();
    stop.request_stop();
  });
  reflector.run(stop.get_token());
  return wrong;
}

std::string SimReflector::compare() const {
  return sink.compare(world.etcd.objects(clock.now(), resource.name));
}

SeededWorld::SeededWorld(std::uint64_t seed) {
  Maker(seed, *this).make();
  world.is_large = seed % 6 == 0;
}

SeedResult run_seed(std::uint64_t seed) {
  const SeededWorld seeded(seed);
  SeedResult result;
  for (std::size_t i = 0; i < seeded.world.resources.size(); ++i) {
    SimReflector run(seeded.world, seeded.world.resources[i], seed * 16 + i);
    const auto check = [&](const char* when) {
      if (const std::string wrong = run.compare(); !wrong.empty())
        run.sink.violations.push_back(std::string(when) + ": " + wrong);
      if (!run.reflector.status().synced || !run.reflector.status().connected)
        run.sink.violations.push_back(std::string(when) + ": not connected");
    };
    run.clock.at(seeded.converged, [&] { check("converged"); });
    if (const std::string wrong = run.run_until(seeded.end); !wrong.empty())
      run.sink.violations.push_back("at the end: " + wrong);
    if (run.sink.rewinds > (seeded.restored ? 1 : 0)) run.sink.violations.push_back("went back without need");
    add(result, run);
  }
  return result;
}

}  // namespace winnow::live
