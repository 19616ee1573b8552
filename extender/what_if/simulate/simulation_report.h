// A simulation's result as a table for people and as JSON for programs, which is written piece by piece.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/function_ref.h"
#include "cluster/text/json.h"
#include "extender/explain/explanation_text.h"
#include "extender/what_if/simulate/result.h"

namespace winnow {

/// Takes a piece of a text.
using WriteText = FunctionRef<void(std::string_view)>;

/// JSON in the making, handed on in large pieces. The caller sees to commas, braces and the last flush().
class JsonPieces {
 public:
  explicit JsonPieces(WriteText write) : write_(write) {}

  JsonPieces& raw(std::string_view text) {
    out_ += text;
    if (constexpr std::size_t kPiece = 1 << 16; out_.size() > kPiece) flush();
    return *this;
  }
  JsonPieces& text(std::string_view text) {
    append_quoted(out_, text);
    return *this;
  }
  JsonPieces& number(std::integral auto number) { return raw(std::to_string(number)); }
  JsonPieces& flag(bool value) { return raw(value ? "true" : "false"); }
  JsonPieces& key(std::string_view key) { return raw("\"").raw(key).raw("\":"); }
  void flush() {
    write_(out_);
    out_.clear();
  }
  /// The items with commas between them.
  void list(const auto& items, const auto& item) {
    raw("[");
    bool is_first = true;
    for (const auto& one : items) {
      if (!is_first) raw(",");
      is_first = false;
      item(one);
    }
    raw("]");
  }

 private:
  const WriteText write_;
  std::string out_;
};

// The pods of a result, counted by workload and by node.

/// The pods of one workload that have one origin.
struct WorkloadTally {
  std::string name;  ///< As Batch::name().
  PodOrigin origin = PodOrigin::kNew;
  std::size_t pods = 0;
  std::size_t ends[kPodEnds] = {};              ///< By PodEnd.
  std::map<std::uint32_t, std::size_t> placed;  ///< By node, of SimulationResult::nodes.
  std::map<std::uint32_t, std::size_t> from;    ///< The same, of where pods were before.

  std::size_t of(PodEnd end) const { return ends[static_cast<std::size_t>(end)]; }
};

/// In the order in which their first pods were met.
std::vector<WorkloadTally> tally_workloads(const SimulationResult& result);

/// The pods that ended so for one reason, by workload. Reasons that differ in their numbers of nodes only are
/// one: "27 Insufficient cpu, 4 to 9 Insufficient memory".
struct ReasonTally {
  std::string text;
  std::size_t pods = 0;
  std::vector<std::pair<std::string, std::size_t>> workloads;  ///< In the order in which they were met.
};
/// Those with the most pods first.
std::vector<ReasonTally> tally_reasons(const SimulationResult& result, PodEnd end);

/// The pods of one DaemonSet on the nodes that were added.
struct DaemonTally {
  std::string_view name;  ///< As NewDaemonPod::daemon_set.
  std::size_t placed = 0, pending = 0;
  std::string_view why;  ///< Of the first pending one.
};
/// In the order in which their first pods came.
std::vector<DaemonTally> tally_daemons(const NewNodes& nodes);

/// The words that programs get: "new", "placed".
std::string_view to_string(PodOrigin origin);
std::string_view to_string(PodEnd end);

// A simulation's result as JSON for programs.

/// `,"notJudged":{"pods":…,"reasons":[…],"objects":[…]}`; nothing where all is judged.
void write_unjudged(JsonPieces& json, const Unjudged& unjudged);

/// Writes one object, piece by piece: there may be hundreds of thousands of pods. docs/what-if.md has its
/// fields. Ends with a newline.
void write_json(const SimulationResult& result, WriteText write);

/// Writes a node as an object: its name, its zone, and what it holds. @param before, after  the keys of
/// these.
void write_node(JsonPieces& json, const NodeFill& node, std::string_view before, std::string_view after);

// A simulation's result as a table for people.

struct ReportOptions {
  TableOptions table;     ///< Width, colour, and whether all nodes are shown.
  bool unicode = true;    ///< Bars of block characters; else ASCII.
  bool all_pods = false;  ///< A line for each pod, and all workloads.
};

/// Appends the headline, the workloads and their nodes, the pods that fit nowhere by reason, what else became
/// of pods, and bars of what zones and nodes hold. Ends with a newline. Texts of the cluster cannot steer the
/// terminal.
void append_report(std::string& out, const SimulationResult& result, const ReportOptions& options);

}  // namespace winnow
