// The columns of the matrix: which priorities deserve one, and how their names are made to fit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "extender/explain/explanation.h"

namespace winnow {

/// A priority whose scores differ among the nodes.
struct ScoreColumn {
  std::size_t index = 0;  ///< Into NodeExplanation::scores.
  std::string rule = {};
  std::int64_t weight = 1;
  std::int64_t spread = 0;               ///< What it can make of a difference: (highest - lowest) × weight.
  std::vector<std::string> header = {};  ///< Lines.
  std::size_t width = 0;                 ///< Of the header and the cells.
  std::size_t cell_width = 0;

  /// The score, with the weight if that is not 1: "7×2".
  [[nodiscard]] std::string cell(const NodeExplanation& node) const;
};

struct ScoreColumns {
  ScoreColumns() = default;
  /// Requires nodes that were scored by the same rules.
  explicit ScoreColumns(const std::vector<const NodeExplanation*>& nodes);

  std::vector<ScoreColumn> differing;  ///< In the order of the configuration.
  std::vector<std::string> hidden;     ///< Names of those that fit_columns() left out.
  std::string constant;                ///< "NodeAffinityPriority 0, ImageLocalityPriority 7×2"
  std::string skipped;                 ///< Names of the rules that had nothing to say about the pod.
};

/// Sets the headers so that a line of `other` columns, a name of `names` columns and the scores stays within
/// `width` (0 is unlimited), leaving out columns if it has to. Returns the columns that are left for names.
std::size_t fit_columns(ScoreColumns& scores, std::size_t names, std::size_t other, std::size_t width);

}  // namespace winnow
