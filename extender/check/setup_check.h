// The check of kube-scheduler's configuration, Winnow's rules and Winnow's flags against each other.
//
// setup_check.h is the interface of extender/check. check_extender.cc checks Winnow's entry among
// kube-scheduler's extenders. check_profiles.cc checks the plugins that kube-scheduler still runs.
#pragma once

#include <vector>

#include "extender/check/findings.h"
#include "extender/check/start_flags.h"
#include "extender/config/scheduler_config/scheduler_setup.h"
#include "extender/engine/ruleset.h"

namespace winnow {

/// The entry for Winnow in the file: the only extender, or the first one at Winnow's port. Null if there is
/// none.
const ExtenderStanza* find_winnow(const SchedulerSetup& setup, const StartFlags& flags);

/// The contradictions, in the order of the file. @param rules  at least one.
std::vector<Finding> check_setup(const SchedulerSetup& setup, const std::vector<RuleSet>& rules,
                                 const StartFlags& flags);

}  // namespace winnow
