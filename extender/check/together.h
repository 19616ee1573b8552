// Internal to extender/check: what is held against each other. Only its files include this.
#pragma once

#include <vector>

#include "extender/check/findings.h"
#include "extender/check/start_flags.h"
#include "extender/config/scheduler_config/scheduler_setup.h"
#include "extender/engine/ruleset.h"

namespace winnow {

struct Together {
  const SchedulerSetup& setup;
  const ExtenderStanza& winnow;  ///< Of the setup.
  const std::vector<RuleSet>& rules;
  const StartFlags& flags;
};

/// The extender that Winnow is (check_extender.cc).
void check_extender(const Together& all, Findings& findings);
/// What kube-scheduler still does itself, profile by profile (check_profiles.cc).
void check_profiles(const Together& all, Findings& findings);

}  // namespace winnow
