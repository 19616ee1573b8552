// Whether kube-scheduler's configuration, Winnow's rules and Winnow's flags go together.
//
// extender/check says so before any of them is used: setup_check.h is the way in, check_extender.cc looks at
// the extender that Winnow is in kube-scheduler's file, check_profiles.cc at what kube-scheduler still does
// itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "extender/config/scheduler_setup.h"
#include "extender/engine/ruleset.h"
#include "extender/service/extender.h"

namespace winnow {

/// What Winnow is to be started with.
struct StartFlags {
  AnswerMode answer = AnswerMode::kComplete;
  bool enable_bind = false;
  bool allow_missing_rules = false;
  std::optional<std::string> bind_address;  ///< Absent: not said, so that every address will do.
  std::optional<std::uint16_t> port;        ///< Absent: the default one.
};

struct Finding {
  /// Pods are placed or evicted wrongly, or Winnow is not asked. Otherwise it is worth knowing.
  bool is_error = false;
  std::string where;  ///< extenders[0].filterVerb
  std::string what;   ///< In one line: what is wrong, and what is expected.
};

inline constexpr std::uint16_t kDefaultPort = 10290;

/// The extender of the file that Winnow is: the only one, or the first at its port. Null: none.
const ExtenderStanza* find_winnow(const SchedulerSetup& setup, const StartFlags& flags);

/// What does not go together, in the order of the file.
/// @param rules  at least one.
std::vector<Finding> check_setup(const SchedulerSetup& setup, const std::vector<RuleSet>& rules,
                                 const StartFlags& flags);

}  // namespace winnow
