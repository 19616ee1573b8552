// The table of the classic priorities, the rules that score nodes.
//
// priorities/ has the rules that score nodes, one file a concern. A rule is a function that binds it to a
// request (cluster/rule/rule.h). It includes cluster/ only. rules.h has base classes that rules share. A
// new rule needs a row in table.cc, a line in CMakeLists.txt if its file is new, and a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/api/kinds.h"
#include "cluster/rule/arguments.h"
#include "cluster/rule/rule.h"

namespace winnow::priorities {

struct Row {
  std::string_view name;  ///< As a Policy names it; "" for a rule that exists only by its argument.
  BindPriority* bind;
  Required<WatchedKinds> needs;  ///< The kinds that it reads, nodes and pods apart.
  bool has_map = true;    ///< False if upstream scores in one step, so that there is no raw score to show.
  std::size_t takes = 0;  ///< The kArgumentsIndex of its argument in a Policy; 0: it takes none.
};

/// The classic priorities. Their order has no meaning: upstream evaluates them in the order of their names.
std::span<const Row> classic();

/// The row of the rule with this name; null if there is none.
const Row* find_classic(std::string_view name);
/// The row of the rule that an argument makes, by its kArgumentsIndex; null if there is none.
const Row* find_classic_taking(std::size_t argument);

/// Every name that find_classic takes.
std::vector<std::string_view> classic_names();

}  // namespace winnow::priorities
