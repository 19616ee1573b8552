// Internal to extender/operate: the shipped files as text, and how they change the operator's document.
// CMake makes the definitions of the manifests (embedded_manifests.cc.in).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/text/json_document.h"
#include "cluster/text/json_reader.h"
#include "extender/config/scheduler_setup.h"

namespace winnow {

extern const std::string_view kShippedScores;      ///< manifests/kube-scheduler-scores.yaml
extern const std::string_view kShippedEverything;  ///< manifests/kube-scheduler-everything.yaml
extern const std::string_view kShippedBest;        ///< manifests/kube-scheduler-best.yaml
extern const std::string_view kShippedBest138;     ///< manifests/kube-scheduler-best-1.38.yaml
/// manifests/kube-scheduler-best-no-filters.yaml
extern const std::string_view kShippedBestNoFilters;

// Internal to extender/operate: values of JSON as YAML on one line.

/// A string as a scalar. It is quoted unless every reader takes it for that string.
std::string yaml_string(std::string_view text);

/// A value in flow style.
std::string yaml_flow(const rapidjson::Value& value);

// Internal to extender/operate: changes the operator's document to what a shipped file says.

/// What put_in() is told besides the shipped file.
struct ConfigMerger {
  const SchedulerSetup& setup;  ///< What the operator's file says, defaults included.
  /// For each profile the plugins that kube-scheduler keeps, for Winnow's rules do not have them.
  std::vector<std::vector<std::string_view>> keeps;
  std::optional<std::string> url_prefix;  ///< In place of the shipped file's.
  std::int64_t least_weight = 0;          ///< Of Winnow's scores, if the shipped file has less.
  /// The place of Winnow's entry in the file's `extenders`, if it has one.
  std::optional<std::size_t> winnow;
};

/// Puts the settings of the shipped file into `file`: the percentage of nodes, Winnow's entry among the
/// extenders, and for each profile the plugins that are off and the plugins' arguments. Everything else
/// stays. New members come last.
/// @param file  as read_scheduler_setup() takes it.
void put_in(rapidjson::Document& file, const rapidjson::Value& shipped, const ConfigMerger& how);

}  // namespace winnow
