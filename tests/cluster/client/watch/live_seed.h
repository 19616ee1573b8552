// Simulated clusters with faults, each made from a seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "cluster/client/servers/api_servers.h"
#include "cluster/client/watch/reflector.h"
#include "tests/cluster/client/watch/client_time.h"
#include "tests/cluster/client/watch/fake_api_server.h"
#include "tests/cluster/client/watch/real_picture.h"
#include "tests/cluster/client/watch/sink.h"

namespace winnow::live {

/// Which faults a seed draws. The later ones come in addition, from a stream of their own. So a seed tells
/// the same story of the first ones as before there were others.
enum class Faults : std::uint8_t { kFirst, kAll };

/// One reflector in a world of its own clock.
struct SimReflector {
  /// @param faults  kAll: a real cache stands behind the reflector, too.
  SimReflector(const FakeWorld& world, const Resource& resource, std::uint64_t seed,
               Faults faults = Faults::kFirst);

  /// Runs until the time; called once. @return the first difference between sink and etcd then; "" if none.
  std::string run_until(Clock::Time time);
  /// @return the first difference between sink and etcd at the present time; "" if none.
  std::string compare() const;

  const FakeWorld& world;
  const Resource resource;
  SimClock clock;
  ClientClock client;  ///< What the reflector has for a clock.
  FakeTransport transport;
  CheckedSink sink;
  std::unique_ptr<RealCache> cache;  ///< Null: there is none.
  std::vector<std::string> story;    ///< "12.345 …": the requests, answers and steps, with their times.
  ApiServers servers;
  Reflector reflector;
};

/// A world with 1 to 3 servers, 3 resources, some hundred changes and some dozen faults in 20 minutes. After
/// that all servers are well. The later faults may add servers and a balancer, and ail the client itself.
struct SeededWorld {
  explicit SeededWorld(std::uint64_t seed, Faults faults = Faults::kFirst);

  FakeWorld world;
  Clock::Time healed;     ///< From this time on no server has a fault.
  Clock::Time converged;  ///< From this time on every reflector must have all objects.
  Clock::Time end;        ///< Until this time nothing may change any more.
  bool restored = false;  ///< etcd was restored from a backup during the run.
};

struct SeedResult {
  std::vector<std::string> violations;  ///< Empty: the seed has passed.
  std::vector<std::string> story;
  std::size_t requests = 0, events = 0, lists = 0, most_in_a_minute = 0;
  std::size_t failed_allocations = 0, lost_caches = 0;
  std::size_t troubles[kWatchErrors] = {};

  void add(const SeedResult& part);
};
SeedResult run_seed(std::uint64_t seed, Faults faults = Faults::kFirst);

}  // namespace winnow::live
