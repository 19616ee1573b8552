// What was built.
#pragma once

#include <string>

namespace winnow {

struct BuildInfo {
  std::string version;   ///< "0.1.0"
  std::string revision;  ///< The commit, or "unknown".
  std::string compiler;
};
const BuildInfo& build_info();

/// {"version":…,"revision":…,"compiler":…,"platform":…}
std::string version_json();

}  // namespace winnow
