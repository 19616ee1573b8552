// The pods that wait, grouped by why they wait, and why one pod waits, in a few lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <vector>

#include "extender/cli/kubectl/api_reader.h"
#include "extender/explain/node_names.h"

namespace winnow {

struct Explanation;
struct PendingSum;

/// Appends a sentence on the gates that the pod waits for, if any, one on where it fits, and for each reason
/// of nodes that do not take it a line, and below it what they lack; then what would help. Texts of the
/// cluster cannot steer the terminal.
/// @param names  what is left out of nodes' names; what that is the last line says.
/// @param width  of a line; 0: lines of any length.
void append_why(std::string& out, const Explanation& explanation, const NodeNames& names,
                std::size_t width = 0);
/// The same as one JSON object, with a newline.
void append_why_json(std::string& out, const Explanation& explanation);

// The pods that wait, grouped by why they wait.

/// A pod without a node.
struct WaitingPod {
  ObjectName object;
  std::vector<std::string> gates;            ///< Its scheduling gates.
  std::optional<std::int64_t> created = {};  ///< Seconds since 1970.
};

/// The pods in a list of the API that wait for a node: neither finished nor on their way out.
/// @return them, or why the text is no such list.
std::expected<std::vector<WaitingPod>, std::string> read_waiting(std::string list);

/// Pods that wait for the same reasons.
struct PendingGroup {
  std::string reason;
  std::vector<ObjectName> pods;  ///< By namespace and name.
};

/// Groups of pods, by the reasons of the first rule that fails on each node. Their order does not count, and
/// neither does the number of nodes.
class PendingGroups {
 public:
  void add_gated(const WaitingPod& pod);
  void add(const ObjectName& pod, const Explanation& explanation);
  void add_unknown(const ObjectName& pod, const std::string& why);
  /// The largest first.
  std::vector<PendingGroup> take();

 private:
  void put(const ObjectName& pod, const std::string& key, const std::string& reason);
  std::vector<std::string> keys_;
  std::vector<PendingGroup> groups_;
};

/// Appends the groups as one JSON object, with a newline. @param summary  of the pods that were asked about.
/// @param left_out  pods that were not.
void append_pending_json(std::string& out, const std::vector<PendingGroup>& groups,
                         const std::vector<PendingSum>& summary, std::size_t left_out);

}  // namespace winnow
