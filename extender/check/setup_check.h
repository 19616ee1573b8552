// Whether kube-scheduler's configuration, Winnow's rules and Winnow's flags go together.
//
// extender/check says so before any of them is used: setup_check.h is the way in, check_extender.cc looks at
// the extender that Winnow is in kube-scheduler's file, check_profiles.cc at what kube-scheduler still does
// itself.
#pragma once

#include <vector>

#include "extender/check/findings.h"
#include "extender/check/start_flags.h"
#include "extender/config/scheduler_config/scheduler_setup.h"
#include "extender/engine/ruleset.h"

namespace winnow {

/// The extender of the file that Winnow is: the only one, or the first at its port. Null: none.
const ExtenderStanza* find_winnow(const SchedulerSetup& setup, const StartFlags& flags);

/// What does not go together, in the order of the file.
/// @param rules  at least one.
std::vector<Finding> check_setup(const SchedulerSetup& setup, const std::vector<RuleSet>& rules,
                                 const StartFlags& flags);

}  // namespace winnow
