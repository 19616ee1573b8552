// The two generations of rules, and how a state reads pods and nodes for each.
#pragma once

#include <cstdint>

namespace winnow {

/// Classic: v1.16's predicates and priorities, configured by a Policy. Today: v1.37's plugins, configured by
/// a KubeSchedulerConfiguration. The error texts differ as well.
enum class Generation : std::uint8_t { kClassic, kToday };

/// The upstream arithmetic that counts a pod's requests.
enum class Accounting : std::uint8_t {
  kToday,             ///< kube-scheduler 1.37: sidecars, overhead, pod-level resources, in-place resize.
  kV116,              ///< v1.16.15 with default feature gates: only containers and init containers.
  kV116WithOverhead,  ///< v1.16.15 with the feature gate PodOverhead.
};

/// What a state is made for. Rules of other options need a state of their own.
struct StateOptions {
  Accounting accounting = Accounting::kToday;
  bool exact_zones = false;  ///< See NodeTable.
  /// The generation whose reading of host ports, attached volumes and (anti-)affinity terms is indexed.
  Generation generation = Generation::kClassic;

  bool operator==(const StateOptions&) const = default;
};

}  // namespace winnow
