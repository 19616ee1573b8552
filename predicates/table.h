// The table of the classic predicates, the rules that filter nodes.
//
// predicates/ has one rule a file, and the file has the rule's name. A rule is a function that binds it to a
// request (cluster/rule/predicate.h). It includes cluster/ only. rules.h has base classes that rules share. A
// new rule needs its file, a row in table.cc, a row in trials.cc, a line in CMakeLists.txt, and a test.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/api/needs.h"
#include "cluster/rule/predicate.h"
#include "cluster/rule/required.h"

namespace winnow::predicates {

struct Row {
  std::string_view name;  ///< As a Policy names it.
  BindPredicate* bind;
  Required<Needs> needs;  ///< The kinds that it reads, nodes and pods apart.
  std::size_t takes = 0;  ///< The kArgumentsIndex of its argument in a Policy; 0: it takes none.
};

/// The classic predicates in upstream's order of evaluation (predicates.go predicatesOrdering v1.16.15).
std::span<const Row> classic();

/// The row of a rule, by its name or by an older name that upstream still takes; null if there is none.
const Row* find_classic(std::string_view name);
/// The row of the rule that an argument makes, by its kArgumentsIndex; null if there is none.
const Row* find_classic_taking(std::size_t argument);

/// Every name that find_classic takes.
std::vector<std::string_view> classic_names();

}  // namespace winnow::predicates
