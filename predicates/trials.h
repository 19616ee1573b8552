// How each rule follows the dry run of a preemption, for the rules of both generations.
#pragma once

#include "cluster/rule/predicate.h"
#include "cluster/rule/trial.h"

namespace winnow::predicates {

/// What pods that leave a node, or come to it, mean to a rule.
struct Following {
  BindPredicate* rule;
  MakeTrial* make_trial;  ///< Null: nothing. The rule looks at no pods.
};

/// Null: the rule has no trial, and is to be bound again after each change. So is one whose make_trial gives
/// none.
const Following* find_following(BindPredicate* rule);

}  // namespace winnow::predicates
