// The table of the classic predicates, and how rules of both generations follow the dry run of a preemption.
//
// predicates/ has the rules that filter nodes, one file a concern. A rule is a function that binds it to a
// request (cluster/rule/rule.h). It includes cluster/ only. rules.h has base classes that rules share. A
// new rule needs rows in table.cc (kClassic, kFollowing) and a test; a new file, a line in CMakeLists.txt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/api/kinds.h"
#include "cluster/rule/arguments.h"
#include "cluster/rule/rule.h"

namespace winnow::predicates {

struct Row {
  std::string_view name;  ///< As a Policy names it.
  BindPredicate* bind;
  Required<WatchedKinds> needs;  ///< The kinds that it reads, nodes and pods apart.
  std::size_t takes = 0;         ///< The kArgumentsIndex of its argument in a Policy; 0: it takes none.
};

/// The classic predicates in upstream's order of evaluation (predicates.go predicatesOrdering v1.16.15).
std::span<const Row> classic();

/// The row of a rule, by its name or by an older name that upstream still takes; null if there is none.
const Row* find_classic(std::string_view name);
/// The row of the rule that an argument makes, by its kArgumentsIndex; null if there is none.
const Row* find_classic_taking(std::size_t argument);

/// Every name that find_classic takes.
std::vector<std::string_view> classic_names();

// How each rule follows the dry run of a preemption, for the rules of both generations.

/// What pods that leave a node, or come to it, mean to a rule.
struct Following {
  BindPredicate* rule;
  MakeTrial* make_trial;  ///< Null: nothing. The rule looks at no pods.
};

/// Null: the rule has no trial, and is to be bound again after each change. So is one whose make_trial gives
/// none.
const Following* find_following(BindPredicate* rule);

}  // namespace winnow::predicates
