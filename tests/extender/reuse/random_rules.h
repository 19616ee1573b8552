// Random sets of rules for trials, with rules that end a question midway, as its time may end.
#pragma once

#include <cstdint>

#include "cluster/api/generation.h"
#include "extender/engine/ruleset.h"
#include "tests/cluster/state/random_cluster.h"

namespace winnow::test {

/// Where two rules of each set throw OutOfTime: one predicate and one priority, somewhere among the others.
enum class EndsEarly : std::uint8_t { kNowhere, kAtBind, kAtMap };
inline EndsEarly ends_early = EndsEarly::kNowhere;

/// Every rule of a generation in one set, and some left out. Removed plugins are today's.
RuleSet random_rules(Draws& draws, Generation generation, Accounting accounting);

}  // namespace winnow::test
