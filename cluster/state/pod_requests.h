// What a pod asks for, counted as upstream counts it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cluster/model/pod.h"

namespace winnow {

/// Whose arithmetic counts a pod's requests.
enum class Accounting : std::uint8_t {
  kToday,             ///< Today's scheduler: sidecars, overhead, pod-level resources, in-place resize.
  kV116,              ///< v1.16.15 at default gates: containers and init containers, nothing else.
  kV116WithOverhead,  ///< v1.16.15 with the gate PodOverhead.
};

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

/// Upstream, kToday: pkg/scheduler/framework/types.go CalculateResource v1.37.0 (a pod that runs) and, with
/// `with_status` false, plugins/noderesources/fit.go computePodResourceRequest (the pod that is placed); see
/// request_list.h. Upstream, kV116: see pod_requests_v116.h.
PodRequests pod_requests(const Pod& pod, Accounting accounting, bool with_status);

/// A pod's limits, summed up as its requests are; 0 where there is none.
struct PodLimits {
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;
  bool operator==(const PodLimits&) const = default;
};

/// Upstream, kToday: see request_list.h. Upstream, kV116: see pod_requests_v116.h.
PodLimits pod_limits(const Pod& pod, Accounting accounting);

/// Whether the pod's QoS class is BestEffort: nothing asked for, nothing limited.
/// Upstream: pkg/apis/core/v1/helper/qos v1.16.15 (init containers count; zero quantities do not).
/// Under kToday pod-level requests and limits count too.
bool is_best_effort(const Pod& pod, Accounting accounting);

}  // namespace winnow
