// A reflector's status, read by another thread while the reflector runs.
#include <doctest/doctest.h>

#include <atomic>
#include <thread>

#include "tests/cluster/client/watch/live_seed.h"

namespace winnow::live {

TEST_CASE("the status can be read while the reflector runs, and never goes back") {
  const SeededWorld seeded(7);
  SimReflector run(seeded.world, seeded.world.resources[1], 7);
  std::atomic<bool> done = false;
  std::jthread runner([&] {
    run.run_until(seeded.end);
    done = true;
  });
  Clock::Time last{};
  std::size_t looks = 0, backwards = 0;
  while (!done || looks == 0) {
    const ReflectorStatus status = run.reflector.status();
    if (status.last_word < last) ++backwards;
    last = status.last_word;
    ++looks;
  }
  CHECK(backwards == 0);
  CHECK(run.reflector.status().synced);
}

TEST_CASE("reflectors share their servers, each from its own thread") {
  const SeededWorld seeded(8);
  SimClock clock;
  ApiServers servers({"https://a"}, clock);
  std::vector<std::string> urls;
  for (const FakeApiServer& server : seeded.world.servers) urls.push_back(server.url);
  servers.replace(urls);
  std::vector<std::jthread> threads;
  std::atomic<std::size_t> synced = 0;
  for (const Resource& resource : seeded.world.resources)
    threads.emplace_back([&, &what = resource] {
      SimReflector run(seeded.world, what, 9);
      Reflector reflector(what, run.sink, servers, run.transport, run.clock, run.sink, 1);
      std::stop_source stop;
      run.clock.at(seeded.end, [&] { stop.request_stop(); });
      reflector.run(stop.get_token());
      if (reflector.status().synced && run.compare().empty()) ++synced;
    });
  threads.clear();
  CHECK(synced == seeded.world.resources.size());
}

}  // namespace winnow::live
