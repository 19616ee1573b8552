// The sums of a pod's requests and limits, in integers.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace winnow {

/// The requests, for scoring, of a container that names no cpu or no memory.
inline constexpr std::int64_t kDefaultMilliCpu = 100;
inline constexpr std::int64_t kDefaultMemory = 200 * 1024 * 1024;

/// A pod's requests. CPU is in thousandths of a core, the rest in whole units; both are rounded up.
struct PodRequests {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  /// Scalar resources (extended, huge pages, attachable volumes) in order of name. A resource requested with
  /// 0 is in the list.
  std::vector<std::pair<std::string, std::int64_t>> scalars;
  /// The requests for scoring: a container that names no cpu (memory) counts 100m (200Mi).
  std::int64_t nonzero_milli_cpu = 0;
  std::int64_t nonzero_memory = 0;

  bool asks_for_nothing() const {
    return milli_cpu == 0 && memory == 0 && ephemeral_storage == 0 && scalars.empty();
  }
  bool operator==(const PodRequests&) const = default;
};

/// A pod's limits, added up like its requests; 0 without a limit.
struct PodLimits {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  bool operator==(const PodLimits&) const = default;
};

}  // namespace winnow
