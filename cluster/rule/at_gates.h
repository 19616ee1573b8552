// At which feature gates of v1.16 something holds for a classic rule.
#pragma once

#include <cstdint>

namespace winnow {

/// Upstream: pkg/features/kube_features.go v1.16.15.
enum class AtGates : std::uint8_t {
  kNoGates,                  ///< At none.
  kAllGates,                 ///< Whatever the gates are.
  kTaintNodesByCondition,    ///< While node conditions are taints, which is the default.
  kNoTaintNodesByCondition,  ///< While they are not.
  kEvenPodsSpread,           ///< While this gate is on.
  kResourceLimitsPriority,   ///< While ResourceLimitsPriorityFunction is on.
};

}  // namespace winnow
