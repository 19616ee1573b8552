// kube-scheduler's own configuration, as far as an extender is concerned: who is asked, and what is still
// checked there. (What Winnow runs of such a file is in rules.h.)
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "extender/config/scheduler_config/extension_points.h"

namespace winnow {

struct ExtenderStanza {
  std::string path;  ///< extenders[0]
  std::string url_prefix, filter_verb, prioritize_verb, preempt_verb, bind_verb;
  std::int64_t weight = 0;
  std::chrono::nanoseconds timeout{0};  ///< What kube-scheduler waits; 5 s where the file says nothing.
  bool node_cache_capable = false;
  bool ignorable = false;
  std::vector<std::string> managed_resources;
};

struct SchedulerProfile {
  std::string path;  ///< profiles[0]
  std::string scheduler_name;
  /// percentageOfNodesToScore: the profile's, or else the file's; 0: kube-scheduler takes a sample.
  std::int64_t percentage = 0;
  std::int64_t min_candidate_percentage = 10;  ///< Of DefaultPreemption.
  std::int64_t score_weights = 0;              ///< Of its score plugins, together.
  std::array<std::vector<std::string>, kPoints> plugins;

  bool runs(std::string_view plugin, Point point) const;
  /// The filter plugins that it has switched off and that Winnow runs too, by name.
  std::vector<std::string_view> disabled_filters() const;
};

struct SchedulerSetup {
  std::vector<ExtenderStanza> extenders;
  std::vector<SchedulerProfile> profiles;
};

/// Reads the file as kube-scheduler 1.37 does. @return it, or what is wrong, in one line.
std::expected<SchedulerSetup, std::string> read_scheduler_setup(std::string_view text);

}  // namespace winnow
