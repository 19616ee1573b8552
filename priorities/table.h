// Where a pod should run: the table of all priorities.
//
// priorities/ has one rule a file, named as its rule. A rule is a function that binds it to a request
// (cluster/rule/priority.h); it includes cluster/ only. rules.h has the shapes that several rules share.
// To add one: its file, its row in table.cc, its line in CMakeLists.txt, its test.
#pragma once

#include <span>
#include <vector>

#include "cluster/rule/needs.h"
#include "cluster/rule/priority.h"

namespace winnow::priorities {

/// What a rule is configured with.
enum class Takes : std::uint8_t { kNothing, kServiceAntiAffinity, kLabelPreference, kCapacityRatio };

struct Row {
  std::string_view name;  ///< As a Policy names it; "" for a rule that only an argument makes.
  BindPriority* bind;
  Takes takes = Takes::kNothing;
  bool has_map = true;  ///< False where upstream scores in one step: there is no raw score to show.
  Needs needs = {};     ///< Beside nodes and pods.
};

/// The classic priorities. Order has no meaning: upstream evaluates them by name.
std::span<const Row> classic();

/// The row of a name; null if there is none.
const Row* find_classic(std::string_view name);
/// The row of the rule that an argument makes; never null.
const Row* find_classic(Takes takes);

/// Every name that find_classic takes.
std::vector<std::string_view> classic_names();

}  // namespace winnow::priorities
