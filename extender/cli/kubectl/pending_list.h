// The pods that wait, grouped by why they wait, and why one pod waits, in a few lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <string>
#include <vector>

#include "extender/cli/kubectl/api_reader.h"

namespace winnow {

enum class OutputForm : std::uint8_t;
struct Explanation;

/// Appends a sentence on the gates that the pod waits for, if any, one on where it fits, and a line for each
/// reason of nodes that do not take it. Texts of the cluster cannot steer the terminal.
void append_why(std::string& out, const Explanation& explanation);
/// The same as one JSON object, with a newline.
void append_why_json(std::string& out, const Explanation& explanation);

// The pods that wait, grouped by why they wait.

/// A pod without a node.
struct WaitingPod {
  ObjectName object;
  std::vector<std::string> gates;  ///< Its scheduling gates.
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

/// @param left_out  pods that were not asked about.
void append_pending(std::string& out, const std::vector<PendingGroup>& groups, std::size_t left_out,
                    OutputForm form);

}  // namespace winnow
