// The requests of a node's pods in the dry run of a preemption, compared with what the node offers.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "cluster/rule/trial.h"

namespace winnow::predicates {

/// A resource that a rule checks: cpu in thousandths, everything else in whole units.
struct Amount {
  Column<std::int64_t> allocatable;
  Column<std::int64_t> requested;  ///< By the node's pods.
  std::int64_t wanted = 0;         ///< By the pod that is to be placed.
  /// A node that is too small for the pod alone becomes unresolvable: no eviction helps there.
  bool needs_size = false;
  /// A node that offers none of it is not checked: devices may provide it there.
  bool by_devices = false;
  // What another pod requests: a scalar resource, a member of its requests, or else one place.
  bool is_scalar = false;
  Symbol scalar = kNone;  ///< kNone: no pod requests it.
  std::int64_t PodRequests::* of_pod = nullptr;
};

/// Whether the node has not enough of a resource.
using Lacks = bool(std::int64_t wanted, std::int64_t allocatable, std::int64_t requested);

/// The trial of a rule that fails a node which lacks any of the amounts.
std::unique_ptr<Trial> make_amounts_trial(const Request& request, std::vector<Amount> amounts, Lacks* lacks);

}  // namespace winnow::predicates
