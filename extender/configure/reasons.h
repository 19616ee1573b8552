// Internal to extender/configure: why a line of kube-scheduler's file changes.
#pragma once

#include <string>
#include <string_view>

#include "extender/configure/diff_line.h"
#include "extender/configure/way.h"

namespace winnow {

/// Which file is made.
struct MadeFor {
  Way way = Way::kScores;
  int release = 37;  ///< kube-scheduler 1.N.
};

/// The reason for a line that is new in the file, or no more in it. Never empty for what put_in() changes.
/// @param path   as yaml_diff() gives it.
/// @param value  as yaml_diff() gives it.
std::string reason_for(const MadeFor& file, std::string_view path, LineIn in, std::string_view value);

}  // namespace winnow
