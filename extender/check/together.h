// Internal to extender/check: the inputs of all checks. Only its files include this.
#pragma once

#include <vector>

#include "extender/check/findings.h"
#include "extender/check/start_flags.h"
#include "extender/config/scheduler_config/scheduler_setup.h"
#include "extender/engine/ruleset.h"

namespace winnow {

/// The inputs. All references must outlive the checks.
struct Together {
  const SchedulerSetup& setup;
  const ExtenderStanza& winnow;  ///< Winnow's entry in `setup`.
  const std::vector<RuleSet>& rules;
  const StartFlags& flags;
};

/// Checks Winnow's entry (check_extender.cc).
void check_extender(const Together& all, Findings& findings);
/// Checks the plugins that kube-scheduler still runs, for each profile (check_profiles.cc).
void check_profiles(const Together& all, Findings& findings);

}  // namespace winnow
