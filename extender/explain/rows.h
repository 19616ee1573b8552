// The rows of the matrix: which of the feasible nodes are shown, and under which names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "extender/explain/explanation.h"
#include "extender/explain/table_options.h"

namespace winnow {

struct Rows {
  /// Requires a node that fits. The nodes belong to the explanation.
  Rows(const Explanation& explanation, const TableOptions& options);

  std::vector<const NodeExplanation*> nodes;  ///< Those to show, then the others; each best first.
  std::size_t shown = 0;  ///< At most options.max_nodes or two more; always the one selected.
  const NodeExplanation* selected = nullptr;
  std::int64_t best = 0;           ///< The highest total.
  std::size_t ties = 0;            ///< How many nodes have it.
  std::vector<std::string> names;  ///< Of those shown.
  std::string domain;              ///< What drop_domain() took from the names.

  /// The columns of the longest name.
  [[nodiscard]] std::size_t names_width() const;

  /// Takes the domain that all names shown have in common (".eu-west-1.compute.internal") off them. Not if it
  /// is so short that nothing is won.
  void drop_domain();
};

}  // namespace winnow
