// Where a pod may run: the table of all predicates.
//
// predicates/ has one rule a file, named as its rule. A rule is a function that binds it to a request
// (cluster/rule/predicate.h); it includes cluster/ only. rules.h has the shapes that several rules share.
// To add one: its file, its row in table.cc, its line in CMakeLists.txt, its test.
#pragma once

#include <span>

#include "cluster/rule/needs.h"
#include "cluster/rule/predicate.h"

namespace winnow::predicates {

/// What a rule is configured with.
enum class Takes : std::uint8_t { kNothing, kLabelsPresence, kServiceAffinity };

struct Row {
  std::string_view name;  ///< As a Policy names it.
  BindPredicate* bind;
  Takes takes = Takes::kNothing;
  Needs needs = {};  ///< Beside nodes and pods.
};

/// The classic predicates in upstream's order of evaluation (predicates.go predicatesOrdering v1.16.15).
std::span<const Row> classic();

/// The row of a name or of an older name for it; null if there is none.
const Row* find_classic(std::string_view name);

/// Every name that find_classic takes.
std::vector<std::string_view> classic_names();

}  // namespace winnow::predicates
