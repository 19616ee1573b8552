// The columns of the matrix: the priorities that get one, and their headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "extender/explain/explanation.h"

namespace winnow {

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

}  // namespace winnow
