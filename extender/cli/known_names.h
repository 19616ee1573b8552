// Pods and nodes that the command line names, found in a state.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "cluster/state/state.h"

namespace winnow {

/// The pod; or the error, with the names that are near.
std::expected<PodId, std::string> known_pod(const State& state, const std::string& ns,
                                            const std::string& name);
/// The same of "namespace/name", or of a name in "default".
std::expected<PodId, std::string> known_pod(const State& state, const std::string& wanted);
/// The error for the first of these nodes that the state does not know; nothing if it knows all.
/// @param flag  that names them: "--nodes".
std::optional<std::string> unknown_node(const State& state, const std::string& flag,
                                        const std::vector<std::string>& nodes);

}  // namespace winnow
