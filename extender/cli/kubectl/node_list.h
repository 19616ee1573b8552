// What nodes have free, and which of them take a pod, in columns as kubectl prints them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace winnow {

enum class OutputForm : std::uint8_t;
class State;
struct Explanation;
struct NodeExplanation;

/// Appends the rows, three blanks between columns. Cells are made safe for a terminal. A row may be shorter
/// than the others.
void append_columns(std::string& out, const std::vector<std::vector<std::string>>& rows);

// What nodes have free, and which of them take a pod.

/// A sum of pods' requests, and what the node has for them.
struct Amount {
  std::int64_t requested = 0, allocatable = 0;
};

struct NodeLine {
  std::string name, status;       ///< The status in kubectl's words: "Ready,SchedulingDisabled".
  Amount cpu, memory, ephemeral;  ///< CPU in thousandths of a core, the others in bytes.
  Amount pods;
  std::vector<std::string> held;           ///< The places held there for pods that wait, one sentence each.
  const NodeExplanation* asked = nullptr;  ///< What the rules say of the pod there; null: nothing.
};

/// The nodes by name. With an explanation those that take the pod come first, the best at the top.
/// @param explanation  null: no pod was asked about. It outlives the lines.
std::vector<NodeLine> node_lines(const State& state, const Explanation* explanation);

/// Appends the list. With kName, and an explanation, only nodes that take the pod are in it.
void append_node_list(std::string& out, const std::vector<NodeLine>& lines, const Explanation* explanation,
                      OutputForm form);

}  // namespace winnow
