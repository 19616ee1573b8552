// The kinds of objects that a configuration reads.
#pragma once

#include <vector>

#include "cluster/api/needs.h"
#include "cluster/state/state.h"
#include "extender/config/rules.h"

namespace winnow {

/// The kinds that the rules read, and those that the service itself reads. The service reads nodes, pods,
/// disruption budgets (preempt), and under classic rules the claims, which are checked before any rule.
Needs needed(const RuleSet& rules);
Needs needed(const std::vector<RuleSet>& sets);

/// The options of the picture that these rules need. All sets of a configuration have the same.
State::Options state_options(const LoadedRules& rules);

}  // namespace winnow
