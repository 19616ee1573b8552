// The ways to run Winnow beside a kube-scheduler; see docs/install.md.
#pragma once

#include <cstdint>

namespace winnow {

enum class Way : std::uint8_t { kNominate, kScores, kEverything, kBest };

}  // namespace winnow
