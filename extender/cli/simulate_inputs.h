// What `winnow simulate` is told to place and to change, and the progress of a long simulation or replay.
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/expand/expand.h"
#include "cluster/function_ref.h"
#include "extender/what_if/simulate/changes.h"

namespace winnow {

class State;
struct CommonFlags;
struct SimulateFlags;

/// "NODES:key=value" or "NODE/key=value"; an empty value, or "NODES:key-", removes the label. @return the
/// change, whose `node` is what named_nodes() reads; or an error of one line.
std::expected<LabelChange, std::string> parse_label_change(std::string_view text);

/// Puts the names of nodes in place of the values of --drain, --remove-nodes, --fail-nodes and --cordon.
/// @return the error of one line: nodes that the state does not have, with near names; or a node that is in
/// two of them which exclude each other. "": none.
std::string resolve_nodes(SimulateFlags& flags, const State& state);

/// The changes that the flags ask for, after resolve_nodes(). Reads the file of --add-nodes. @return them, or
/// an error of one line: a node or pod that the state does not have, with near names; a label that is none; a
/// file without a Node.
std::expected<Changes, std::string> changes_of(const CommonFlags& common, const SimulateFlags& flags,
                                               const State& state);

/// The Nodes in a file, as new ones would be: a cordoned one is none, and a note says so. @param flag  that
/// names the file. @return at least one, or an error of one line.
std::expected<std::vector<Node>, std::string> read_templates(const std::string& flag,
                                                             const std::string& file);

/// The pods of the files of --pods, and what is to be put into the state with them. Warns of fields that the
/// API server would refuse. @return them, or an error of one line: also where there is no pod.
std::expected<NewObjects, std::string> new_pods_of(const std::vector<std::string>& files,
                                                   const ExpandOptions& options, const State& state);

/// The kinds that a simulation reads, beside those of the rules.
/// @param new_pods  it places pods of files.
WatchedKinds simulation_needs(bool new_pods);

// Progress of a long simulation or replay on the terminal, and its end by Ctrl-C.

/// The exit code of a run that Ctrl-C has ended, as shells give it.
inline constexpr int kInterrupted = 128 + SIGINT;

/// While it lives, the first Ctrl-C asks the run to end, and the second ends the process. Writes to
/// standard error, if that is a terminal. There is one at a time; used by one thread.
class SimulateProgress {
 public:
  SimulateProgress();
  ~SimulateProgress();
  SimulateProgress(const SimulateProgress&) = delete;
  SimulateProgress& operator=(const SimulateProgress&) = delete;

  /// Shows how far it is, now and then. @return whether to go on.
  bool tell(std::size_t done, std::size_t all);
  /// The same in other words, which are asked for when they are shown.
  bool tell(FunctionRef<std::string()> words);
  /// Wipes the line.
  void end();

 private:
  const bool shows_;
  bool has_line_ = false;
  std::chrono::steady_clock::time_point last_;
  void (*before_)(int);
};

}  // namespace winnow
