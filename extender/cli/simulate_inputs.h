// What `winnow simulate` is told to place and to change, read from its flags and files.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/needs.h"
#include "cluster/api/node.h"
#include "cluster/expand/expand.h"
#include "cluster/state/state.h"
#include "extender/cli/flags/groups/simulate_flags.h"
#include "extender/simulate/changes.h"

namespace winnow {

/// "NODE:key=value" or "NODE/key=value"; an empty value, or "NODE:key-", removes the label. @return the
/// change, or an error of one line.
std::expected<LabelChange, std::string> parse_label_change(std::string_view text);

/// The changes that the flags ask for. Reads the file of --add-nodes. @return them, or an error of one line:
/// a node or pod that the state does not have, with near names; a label that is none; a file without a Node.
std::expected<Changes, std::string> changes_of(const SimulateFlags& flags, const State& state);

/// The one Node in a file. @param flag  that names the file. @return it, or an error of one line.
std::expected<Node, std::string> read_template(const std::string& flag, const std::string& file);

/// The pods of the files of --pods, and what is to be put into the state with them. Warns of fields that the
/// API server would refuse. @return them, or an error of one line: also where there is no pod.
std::expected<NewObjects, std::string> new_pods_of(const std::vector<std::string>& files,
                                                   std::optional<std::uint32_t> replicas, const State& state);

/// The kinds that a simulation reads, beside those of the rules.
/// @param new_pods  it places pods of files.
Needs simulation_needs(bool new_pods);

}  // namespace winnow
