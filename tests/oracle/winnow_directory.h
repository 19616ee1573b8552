// A directory of a comparison, as the programs of Winnow's side read it.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "cluster/state/state.h"
#include "extender/config/extenders.h"
#include "extender/config/rules.h"

namespace winnow {

/// The rules and the cluster of a directory, as `winnow explain` has them.
struct OracleDirectory {
  LoadedRules rules;
  std::unique_ptr<State> state;
};

/// Reads cluster.json, and config.json or policy.json. @param gates  as --feature-gates.
/// @return them, or an error of one line.
std::expected<OracleDirectory, std::string> read_directory(const std::string& directory,
                                                           const std::string& gates);

}  // namespace winnow
