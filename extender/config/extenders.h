// The result of reading a configuration; and, internal to extender/config, the `extenders` of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "extender/engine/ruleset.h"

namespace winnow {

class Reader;

/// The rules of one configuration, with what start-up logs about it.
struct LoadedRules {
  std::vector<RuleSet> sets;  ///< One for all pods, or one for each profile. All are of one generation.
  /// Notes for the log, a line each: fields that are not used, plugins that stay in kube-scheduler,
  /// departures from upstream.
  std::vector<std::string> notes;
  /// Warnings, a line each: plugins that do not run in Winnow, or that cannot work as configured.
  std::vector<std::string> warnings;
  std::string text;    ///< The text of the file; "" for the classic rules without one.
  bool named = false;  ///< They have a name and no file; see named_rules().
};

// Internal to extender/config: the `extenders` of a configuration. Winnow is one of them and calls none. Only
// .cc files include this.

/// The start-up note about extenders with these addresses, without users and passwords; "" if there are none.
std::string extenders_note(const std::vector<std::string>& urls);

/// The note about a resource with ignoredByScheduler. @param rule  that checks resources.
std::string ignored_note(std::string_view resource, std::string_view rule);

/// The parts of `extenders` that Winnow uses.
struct ConfiguredExtenders {
  /// The urlPrefix of each.
  std::vector<std::string> urls;
  /// The number of those that filter or preempt: one may be Winnow.
  std::size_t filtering = 0;
  /// The resources with ignoredByScheduler, which only extenders count, in the file's order.
  std::vector<std::string> ignored_resources;
};

/// Reads and checks the extenders of a KubeSchedulerConfiguration. Files with certificates and keys are not
/// checked: they are on another machine. @return the extenders, or one line that says what is wrong.
/// Upstream: validateExtenders of pkg/scheduler/apis/config/validation/validation.go, buildExtenders of
/// pkg/scheduler/scheduler.go, NewHTTPExtender of pkg/scheduler/extender.go, v1.37.0.
std::expected<ConfiguredExtenders, std::string> read_extenders(const Reader& config);

}  // namespace winnow
