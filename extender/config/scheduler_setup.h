// The parts of kube-scheduler's own configuration that concern an extender: the extenders that it calls, and
// the plugins that it runs. For the rules that Winnow makes of such a file see rules.h.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/releases.h"

namespace winnow {

/// An entry of `extenders`.
struct ExtenderStanza {
  std::string path;  ///< extenders[0]
  std::string url_prefix, filter_verb, prioritize_verb, preempt_verb, bind_verb;
  std::int64_t weight = 0;
  std::chrono::nanoseconds timeout{0};  ///< kube-scheduler's httpTimeout; 5 s by default.
  bool node_cache_capable = false;
  bool ignorable = false;
  std::vector<std::string> managed_resources;
  bool names_authority = false;    ///< tlsConfig has caFile or caData.
  bool shows_certificate = false;  ///< tlsConfig has certFile or certData.
};

struct SchedulerProfile {
  std::string path;  ///< profiles[0]
  std::string scheduler_name;
  /// The profile's percentageOfNodesToScore, or else the file's. 0: kube-scheduler chooses a percentage.
  std::int64_t percentage = 0;
  std::int64_t min_candidate_percentage = 10;  ///< minCandidateNodesPercentage of DefaultPreemption.
  std::int64_t score_weights = 0;              ///< The sum of its score plugins' weights.
  /// The plugins at each extension point, in order.
  std::array<std::vector<std::string>, kPoints> plugins;

  bool runs(std::string_view plugin, Point point) const;
  /// The filter plugins that it does not run and Winnow can run, by name.
  std::vector<std::string_view> disabled_filters() const;
};

struct SchedulerSetup {
  std::vector<ExtenderStanza> extenders;
  std::vector<SchedulerProfile> profiles;
};

class ConfigDocument;

/// Reads the file as kube-scheduler 1.37 does. @return the setup, or one line that says what is wrong.
std::expected<SchedulerSetup, std::string> read_scheduler_setup(ConfigDocument& document);
std::expected<SchedulerSetup, std::string> read_scheduler_setup(std::string_view text);

}  // namespace winnow
