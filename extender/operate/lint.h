// What of a cluster cannot work as meant: selectors that select nothing, keys that no node carries, requests
// that no node can hold, budgets that no drain gets past.
//
// lint_pods.cc looks at the fields of pods, lint.cc at the other objects, and known_labels.cc finds the
// words.
#pragma once

#include <span>
#include <vector>

#include "cluster/api/kinds.h"
#include "extender/operate/lint_finding.h"

namespace winnow {

class State;
struct Service;

/// What is found, by kind and then by object. Pods that have ended are not there. An object of a kind that
/// the state was not given is not missed: without Namespaces no namespaceSelector is looked at.
/// @param services  the Services, which a state keeps by their selectors alone; empty: none is looked at.
std::vector<LintFinding> lint(const State& state, std::span<const Service> services);

/// The kinds of objects that it reads.
inline constexpr WatchedKinds kLintNeeds = kind_of<Node> | kind_of<Pod> | needs::kNamespaces |
                                           needs::kServices | kind_of<PodDisruptionBudget> |
                                           kind_of<PriorityClass> | needs::kResources;

}  // namespace winnow
