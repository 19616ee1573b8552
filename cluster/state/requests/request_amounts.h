// What a pod's requests and limits come to, in integers.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace winnow {

/// What a container that names no cpu (memory) counts when scored.
inline constexpr std::int64_t kDefaultMilliCpu = 100;
inline constexpr std::int64_t kDefaultMemory = 200 * 1024 * 1024;

/// A pod's requests. cpu is in thousandths, everything else in whole units, both rounded up.
struct PodRequests {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  /// Scalar resources (extended, huge pages, attachable volumes) in name order; one asked for with 0 is
  /// there.
  std::vector<std::pair<std::string, std::int64_t>> scalars;
  /// For scoring: a container that names no cpu (memory) counts 100m (200Mi).
  std::int64_t nonzero_milli_cpu = 0;
  std::int64_t nonzero_memory = 0;

  bool asks_for_nothing() const {
    return milli_cpu == 0 && memory == 0 && ephemeral_storage == 0 && scalars.empty();
  }
  bool operator==(const PodRequests&) const = default;
};

/// A pod's limits, summed up as its requests are; 0 where there is none.
struct PodLimits {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  bool operator==(const PodLimits&) const = default;
};

}  // namespace winnow
