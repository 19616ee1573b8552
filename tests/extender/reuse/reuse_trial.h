// A reused answer beside the full computation, over random events and questions.
#pragma once

#include <cstdint>
#include <string>

#include "extender/reuse/kept_answers.h"

namespace winnow::test {

struct ReuseTrial {
  std::string difference;       ///< The first one, in words; "": there was none.
  std::uint64_t questions = 0;  ///< Filter and prioritize, one each.
  ReuseCounts counts;           ///< Of all rule sets.
};

/// Runs a cluster of random objects through random events, and asks about pods of a few classes after each,
/// by engines that keep answers and by engines that do not. The same seed is the same trial.
/// @param steps  the number of events.
/// @param lie  every rule says that it reads one node, as few do: a difference is to be found.
ReuseTrial try_reuse(std::uint64_t seed, std::size_t steps, bool lie = false);

}  // namespace winnow::test
