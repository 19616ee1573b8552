// Internal to extender/configure: changes the operator's document to what a shipped file says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/text/json/document.h"
#include "extender/config/scheduler_config/scheduler_setup.h"

namespace winnow {

/// What put_in() is told besides the shipped file.
struct PutIn {
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
void put_in(rapidjson::Document& file, const rapidjson::Value& shipped, const PutIn& how);

}  // namespace winnow
