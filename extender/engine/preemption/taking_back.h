// Whether a victim that the rules do not need may be left alone.
#pragma once

#include "extender/engine/preemption/candidate.h"
#include "extender/engine/ruleset.h"

namespace winnow {

/// kube-scheduler named the victims by its own filters. Some of them an eviction can turn: see
/// turned_by_eviction in predicates/today/table.h. A victim may be left alone only where the rules decide all
/// that these decide of the pod on the node: otherwise the node may go on refusing the pod, and the next
/// preemption evicts on another node.
/// @return whether each of them is among the rules, or has nothing to say about this pod and these victims. A
/// classic rule stands for a filter only as far as it reads pods as that filter does: one that lacks part of
/// the filter's check (ClassicCheck::lacking) does not.
bool may_take_back(const RuleSet& rules, const State& state, const Pod& pod, const Candidate& candidate);

}  // namespace winnow
