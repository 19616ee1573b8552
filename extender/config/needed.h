// What of the cluster a configuration reads.
#pragma once

#include <vector>

#include "cluster/api/needs.h"
#include "cluster/state/state.h"
#include "extender/config/rules.h"

namespace winnow {

/// The kinds of objects that the rules read, and what the service itself does: nodes, pods, disruption
/// budgets (preempt), and under classic rules the claims, which are checked before any rule.
Needs needed(const RuleSet& rules);
Needs needed(const std::vector<RuleSet>& sets);

/// How the picture must count and read for these rules.
State::Options state_options(const LoadedRules& rules);

}  // namespace winnow
