// Internal to extender/check: what its files share. Only they include this.
#pragma once

#include <string_view>
#include <utility>

#include "extender/check/setup_check.h"

namespace winnow {

/// Findings in the making.
class Findings {
 public:
  void error(std::string where, std::string what) { add(true, std::move(where), std::move(what)); }
  void warning(std::string where, std::string what) { add(false, std::move(where), std::move(what)); }
  void add(bool is_error, std::string where, std::string what) {
    all_.push_back({is_error, std::move(where), std::move(what)});
  }
  std::vector<Finding> take() { return std::move(all_); }

 private:
  std::vector<Finding> all_;
};

/// All that is held against each other.
struct Together {
  const SchedulerSetup& setup;
  const ExtenderStanza& winnow;
  const std::vector<RuleSet>& rules;
  const StartFlags& flags;
};

void check_extender(const Together& all, Findings& findings);
void check_profiles(const Together& all, Findings& findings);

/// The filter plugins that the profile has switched off, but for those that only kube-scheduler runs.
std::vector<std::string_view> disabled_filters(const SchedulerProfile& profile);

}  // namespace winnow
