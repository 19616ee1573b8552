// The two generations of rules.
#pragma once

#include <cstdint>

namespace winnow {

/// Classic: v1.16's predicates and priorities, configured by a Policy. Today: v1.37's plugins, configured by
/// a KubeSchedulerConfiguration. The error texts differ as well.
enum class Generation : std::uint8_t { kClassic, kToday };

}  // namespace winnow
