// The rules of a configuration file, or the default ones, the kinds that they read, and the checks they lack.
//
// extender/config reads two generations of files, which kind and apiVersion tell apart:
//
//   config_document.*     a file, parsed once, with its generation and its release
//   policy*.*             a classic Policy: see policy.h
//   scheduler_config*.*   a KubeSchedulerConfiguration: see scheduler_config.h
//   gates.*               --feature-gates
//   extenders.*           errors, results and `extenders`, for both readers
//   kept_config.*         what a recording keeps of a configuration
//   rules_*.*             a summary and a fingerprint of the rules in force
#pragma once

#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/state/state.h"
#include "extender/config/extenders.h"

namespace winnow {

class WatchedKinds;
struct Gates;

/// Reads a Policy or a KubeSchedulerConfiguration, JSON or YAML.
/// @param file_name  for the error only.
/// @return the rules, or one line: `FILE: line 3, column 7: …`, or `FILE: JSON.path[2]: …`.
std::expected<LoadedRules, std::string> load_rules(std::string_view file_name, std::string_view text,
                                                   const Gates& gates);

// Rules that have a name in place of a file: --config default, and --config classic.

/// Those of kube-scheduler 1.37's default profile. Without --config they are taken.
inline constexpr std::string_view kDefaultRules = "default";
/// Those of v1.16's default provider.
inline constexpr std::string_view kClassicRules = "classic";

/// Whether this is a name of rules, or "", and no file. A file of such a name is "./classic".
bool names_rules(std::string_view config);
/// The rules of the name; "" is kDefaultRules. @return the rules, or one line: a gate is not theirs.
std::expected<LoadedRules, std::string> named_rules(std::string_view name, const Gates& gates);
/// The classic ones.
LoadedRules classic_rules(const Gates& gates);

// The kinds of objects that a configuration reads.

/// The kinds that the rules read, and those that the service itself reads. The service reads nodes, pods,
/// disruption budgets (preempt), and under classic rules the claims, which are checked before any rule.
WatchedKinds needed(const RuleSet& rules);
WatchedKinds needed(const std::vector<RuleSet>& sets);

/// The options of the cache that these rules need. All sets of a configuration have the same.
State::Options state_options(const LoadedRules& rules);
/// What expressions of the rules read that is measured of nodes.
struct Measurements {
  bool usage = false;    ///< node.usage
  bool metrics = false;  ///< node.metrics
};
Measurements measurements_read(const std::vector<RuleSet>& sets);

// The checks that kube-scheduler leaves to Winnow and that Winnow's rules do not make.
//
// The records of plugins in predicates/ say what a plugin checks, which classic predicate makes the same
// check, and which part of it that predicate lacks.

/// A check, or a part of one, that no rule makes.
struct MissingRule {
  std::string_view plugin;  ///< The plugin of kube-scheduler that makes the check.
  std::string_view what;    ///< The subject of the check.
  std::string why;          ///< Why the rules do not make it.

  /// `no rule for WHAT (kube-scheduler's PLUGIN): WHY`.
  std::string text() const;
};

/// The filter plugins that manifests/kube-scheduler-best.yaml disables in kube-scheduler, in the table's
/// order.
std::vector<std::string_view> left_to_winnow_by_best();

/// The checks of these plugins that the rules do not make in full, in the table's order. A rule that refuses
/// more than the plugin covers it. Names without a record in predicates/ are skipped.
std::vector<MissingRule> missing_rules(const RuleSet& rules, std::span<const std::string_view> plugins);

/// The missing checks of all profiles of a configuration, for left_to_winnow_by_best().
std::vector<MissingRule> missing_for_best(const LoadedRules& loaded);

}  // namespace winnow
