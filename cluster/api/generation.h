// Whose rules, and in whose words.
#pragma once

#include <cstdint>

namespace winnow {

/// kClassic: v1.16's predicates and priorities, by a Policy. kToday: v1.37's plugins, by a
/// KubeSchedulerConfiguration.
enum class Generation : std::uint8_t { kClassic, kToday };

}  // namespace winnow
