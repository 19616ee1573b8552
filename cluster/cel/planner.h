// From a checked expression to nodes. Upstream: cel-go v0.29.2 interpreter/planner.go, and the decorators
// that Kubernetes' options turn on: constants are folded, patterns compiled.
#pragma once

#include <cstddef>
#include <expected>
#include <string_view>

#include "cluster/cel/ast.h"
#include "cluster/cel/environment.h"
#include "cluster/cel/node.h"

namespace winnow::cel {

struct Plan {
  NodePtr root;
  /// The variables of loops.
  std::size_t slots = 0;
};

/// @return the nodes; else what of a constant is wrong, at its place.
std::expected<Plan, Issue> plan(const Ast& ast, const Environment& environment);

}  // namespace winnow::cel
