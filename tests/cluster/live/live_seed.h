// A world and its faults out of one number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cluster/live/reflector.h"
#include "tests/cluster/live/fake_api_server.h"
#include "tests/cluster/live/sink.h"

namespace winnow::live {

/// Runs one reflector in a world from a time to another, alone.
struct SimReflector {
  SimReflector(const FakeWorld& world, const Resource& resource, std::uint64_t seed);

  /// Runs until the time. Once. @return what is wrong then with what there is; "" if nothing.
  std::string run_until(Clock::Time time);
  /// The same, now.
  std::string compare() const;

  const FakeWorld& world;
  const Resource resource;
  SimClock clock;
  FakeTransport transport;
  CheckedSink sink;
  std::vector<std::string> story;  ///< "12.345 …": what was sent, heard and done.
  ApiServers servers;
  Reflector reflector;
};

/// 1 to 3 servers, 3 resources, some hundred changes and some dozen faults in 20 minutes; then all are well.
struct SeededWorld {
  explicit SeededWorld(std::uint64_t seed);

  FakeWorld world;
  Clock::Time healed;     ///< From here on no server has a fault,
  Clock::Time converged;  ///< from here on every reflector knows all,
  Clock::Time end;        ///< and nothing is to change until here.
  bool restored = false;  ///< etcd was restored from a backup on the way.
};

struct SeedResult {
  std::vector<std::string> violations;  ///< Empty: all is as it should be.
  std::vector<std::string> story;
  std::size_t requests = 0, events = 0, lists = 0, most_in_a_minute = 0;
  std::size_t troubles[kTroubles] = {};
};
SeedResult run_seed(std::uint64_t seed);

}  // namespace winnow::live
