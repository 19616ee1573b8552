// The rules that a configuration asks for.
#pragma once

#include <string>
#include <vector>

#include "cluster/state/pod_requests.h"
#include "predicates/table.h"
#include "priorities/table.h"

namespace winnow {

struct ConfiguredPredicate {
  std::string name;  ///< As the configuration spells it.
  BindPredicate* bind = nullptr;
  Arguments arguments;
};

struct ConfiguredPriority {
  std::string name;
  BindPriority* bind = nullptr;
  Arguments arguments;
  std::int64_t weight = 1;
  bool has_map = true;  ///< See priorities::Row.
};

/// What to ask of every node, and how to weigh the answers. Immutable once made; owned by the service.
struct RuleSet {
  std::vector<ConfiguredPredicate> predicates;  ///< In order of evaluation.
  std::vector<ConfiguredPriority> priorities;   ///< In order of evaluation.
  /// Ask every predicate of every node, instead of stopping at a node's first failure.
  bool always_check_all_predicates = false;
  Accounting accounting = Accounting::kToday;
  bool exact_zones = false;  ///< See NodeTable.
};

}  // namespace winnow
