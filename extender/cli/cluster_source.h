// The cluster and the rules that a command works on.
#pragma once

#include <expected>
#include <memory>
#include <string>

#include "cluster/files/cluster_file.h"
#include "cluster/state/picture.h"
#include "extender/cli/flags.h"
#include "extender/config/rules.h"

namespace winnow {

/// Reads the policy of --config, or gives the default provider's rules. @return the error, in one line.
std::expected<LoadedRules, std::string> rules_from(const CommonFlags& flags);

/// Reads the files of --cluster into a picture. What was left out is logged. @return the error, in one line.
std::expected<std::unique_ptr<Picture>, std::string> picture_from(const CommonFlags& flags,
                                                                  const State::Options& options);

/// The cluster as it is now, from files or from a live one, as the rules need it. @return the error, in one
/// line.
std::expected<std::shared_ptr<Picture>, std::string> snapshot_from(const CommonFlags& flags,
                                                                   const LoadedRules& rules);

/// What names no cluster at all is told.
std::string no_cluster_error();

/// Logs what the reader of a configuration has to say.
void log_notes(const LoadedRules& rules);
/// Logs what is asked of which pods: a line for each profile, or one for all pods.
void log_rules(const LoadedRules& loaded);

}  // namespace winnow
