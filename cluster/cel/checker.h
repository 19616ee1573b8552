// The checker: finds what names mean, which overloads apply, and the type of each node.
// Upstream: cel-go v0.29.2 checker/checker.go, and the validators of cel/validator.go that Kubernetes turns
// on.
#pragma once

#include <vector>

#include "cluster/cel/ast.h"
#include "cluster/cel/environment.h"

namespace winnow::cel {

/// Checks the expression, and writes into its nodes what it finds. @return what is wrong; empty if nothing
/// is.
std::vector<Issue> check(Ast& ast, const Environment& environment);

/// Checks literals after check(): durations, timestamps and regular expressions that are none, lists and maps
/// of mixed types, and formats that do not fit their arguments.
std::vector<Issue> validate(const Ast& ast);

}  // namespace winnow::cel
