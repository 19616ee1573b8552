// When an evaluation ends early.
#pragma once

#include <cstdint>
#include <limits>

namespace winnow::cel {

struct EvaluationLimits {
  /// The most that an evaluation may cost, in Kubernetes' units.
  std::uint64_t cost = std::numeric_limits<std::uint64_t>::max();
  /// Asked in each step of a loop; when it is true, the evaluation ends with "operation interrupted".
  bool (*interrupted)(void* context) = nullptr;
  void* context = nullptr;
};

}  // namespace winnow::cel
