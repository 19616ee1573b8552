// The matrix of an explanation: rows are the feasible nodes, columns the priorities, with their headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace winnow {

struct Explanation;
struct NodeExplanation;
struct TableOptions;

/// The feasible nodes, as rows.
struct Rows {
  /// At least one node must fit. The explanation must outlive this.
  Rows(const Explanation& explanation, const TableOptions& options);

  std::vector<const NodeExplanation*> nodes;  ///< The nodes to show, then the others; each part best first.
  std::size_t shown = 0;  ///< The number to show: at most max_nodes + 2, and the selected node is one.
  const NodeExplanation* selected = nullptr;
  std::int64_t best = 0;           ///< The highest total.
  std::size_t ties = 0;            ///< The number of nodes with that total.
  std::vector<std::string> names;  ///< Of the nodes shown, without what all names share.

  /// The width of the longest name.
  [[nodiscard]] std::size_t names_width() const;
};

// The columns of the matrix: the priorities that get one, and their headers.

/// A priority whose scores differ among the nodes.
struct ScoreColumn {
  std::size_t index = 0;  ///< Index into NodeExplanation::scores.
  std::string rule = {};
  std::int64_t weight = 1;
  std::int64_t spread = 0;               ///< (highest score - lowest score) × weight.
  std::vector<std::string> header = {};  ///< The lines of the header.
  std::size_t width = 0;                 ///< Of header and cells, in columns of text.
  /// Of the widest cell.
  std::size_t cell_width = 0;

  /// The score, with the weight if that is not 1: "7×2".
  [[nodiscard]] std::string cell(const NodeExplanation& node) const;
};

/// The priorities of some nodes, by how they are shown.
struct ScoreColumns {
  ScoreColumns() = default;
  /// All nodes must have been scored by the same rules.
  explicit ScoreColumns(const std::vector<const NodeExplanation*>& nodes);

  std::vector<ScoreColumn> differing;  ///< In the order of the configuration.
  std::vector<std::string> hidden;     ///< Names of columns that fit_columns() has left out.
  std::string constant;                ///< Equal for all nodes: "NodeAffinityPriority 0,
                                       ///< ImageLocalityPriority 7×2".
  std::string skipped;                 ///< Names of rules that do not concern the pod.
};

/// Sets the headers so that a line fits into `width` (0: unlimited), and leaves out columns if it must. A
/// line is the names' column, `other` columns of text, and the scores.
/// @param names  the wanted width of the names' column.
/// @return the width that is left for names.
std::size_t fit_columns(ScoreColumns& scores, std::size_t names, std::size_t other, std::size_t width);

// The matrix of an explanation: the feasible nodes, best first, with the scores that differ.
//
// A priority that scores every node alike gets no column, and is listed below the matrix. If a line does not
// fit the width, the matrix is reduced in this order:
// - header names lose "Priority", and are then broken over lines;
// - the columns that differ least are left out, down to three;
// - names of nodes are shortened, down to 20 columns of text, and the other columns are left out.

/// Appends the matrix, and lines for what it leaves out. At least one node must fit.
void append_matrix(std::string& out, const Explanation& explanation, const TableOptions& options);

}  // namespace winnow
