// The check of kube-scheduler's configuration, Winnow's rules and flags: its findings, inputs and functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/text/characters.h"
#include "extender/engine/ruleset.h"
#include "extender/service/scheduling/options.h"

namespace winnow {

struct ClusterUses;
struct ExtenderStanza;
struct SchedulerSetup;

/// One finding.
struct Finding {
  /// Pods would be placed or evicted wrongly, or Winnow would not be called. False: a warning.
  bool is_error = false;
  std::string where;  ///< The JSON path: `extenders[0].filterVerb`.
  std::string what;   ///< One line: the problem, and what is expected.
  std::string mend;   ///< The line of the file that mends it, `filterVerb: filter`, or what is to be done.
};

/// A list of findings that checks append to.
class Findings {
 public:
  void error(std::string_view where, std::string_view what, std::string_view mend) {
    add(true, where, what, mend);
  }
  void warning(std::string_view where, std::string_view what, std::string_view mend) {
    add(false, where, what, mend);
  }
  void add(bool is_error, std::string_view where, std::string_view what, std::string_view mend) {
    all_.push_back({is_error, one_line(where, kMostLineBytes), one_line(what, kMostLineBytes),
                    one_line(mend, kMostLineBytes)});
  }
  std::vector<Finding> take() { return std::move(all_); }

 private:
  std::vector<Finding> all_;
};

// The flags with which Winnow will be started, as far as kube-scheduler's configuration must match them.

/// Flags of `winnow serve`, as `winnow check` takes them.
struct StartFlags {
  AnswerMode answer = AnswerMode::kComplete;
  bool enable_bind = false;
  bool allow_missing_rules = false;
  std::vector<std::string> scheduler_filters;  ///< See ExtenderOptions.
  std::optional<bool> nominate_refused;        ///< Absent: with best and one.
  std::optional<std::string> bind_address;     ///< Absent: any address is accepted.
  std::optional<std::uint16_t> port;           ///< Absent: kDefaultPort.
  std::string path_prefix;                     ///< Before Winnow's paths; "": none.
  std::string tls_cert_file;                   ///< "": plain HTTP. The file is not read.
  std::string client_ca_file;                  ///< With it binding is allowed beyond loopback.
};

/// Whether pods are nominated that only a node outside kube-scheduler's sample fits (--nominate-refused).
inline bool mends_samples(const StartFlags& flags) {
  return flags.nominate_refused.value_or(flags.answer != AnswerMode::kComplete);
}

inline constexpr std::uint16_t kDefaultPort = 10290;

// Internal to extender/operate: the inputs of all checks. Only its files include this.

/// The inputs. All references must outlive the checks.
struct CheckInput {
  const SchedulerSetup& setup;
  const ExtenderStanza& winnow;  ///< Winnow's entry in `setup`.
  const std::vector<RuleSet>& rules;
  const StartFlags& flags;
  const ClusterUses* uses = nullptr;  ///< Null: not known.
};

/// Checks Winnow's entry (setup_check.cc).
void check_extender(const CheckInput& all, Findings& findings);
/// Checks the plugins that kube-scheduler still runs, for each profile (check_profiles.cc).
void check_profiles(const CheckInput& all, Findings& findings);

// The check of kube-scheduler's configuration, Winnow's rules and Winnow's flags against each other.
//
// setup_check.cc checks Winnow's entry among
// kube-scheduler's extenders. check_profiles.cc checks the plugins that kube-scheduler still runs.

/// The entry for Winnow in the file: the only extender, or the first one at Winnow's port. Null if there is
/// none.
const ExtenderStanza* find_winnow(const SchedulerSetup& setup, const StartFlags& flags);

/// The contradictions, in the order of the file. @param rules  at least one.
/// @param uses  what the cluster uses of kube-scheduler's own filters; null: not known, so all may be used.
std::vector<Finding> check_setup(const SchedulerSetup& setup, const std::vector<RuleSet>& rules,
                                 const StartFlags& flags, const ClusterUses* uses = nullptr);

}  // namespace winnow
