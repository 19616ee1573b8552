// What kube-scheduler's own filters say of the nodes that it asks about (--scheduler-filters).
//
// kube-scheduler asks an extender about nodes that its own filters let through, with all pods that it assumes
// there. So where Winnow refuses such a node by a rule that is one of these filters, and would not without
// the pods that Winnow alone assumes, kube-scheduler does not count them: their attempts have failed, or
// Winnow's watch is late. In both cases the node has room by that rule.
#pragma once

#include <string>
#include <vector>

#include "cluster/state/assumed_pods.h"

namespace winnow {

class Engine;
class LocatedRequest;
class PassTimes;
struct FeasibleNodes;

/// Takes kube-scheduler's word for the nodes of a request that no node fits. A node fits after all if each
/// rule that refuses it is one of the filters, and none of them does without the assumed pods. Pods that are
/// there by Winnow's nomination alone stay counted, and so do those that an API server has bound.
/// The rule of devices counts as one of the filters where assumed pods have taken devices: kube-scheduler may
/// have chosen others.
/// @param filters  names of plugins; see ExtenderOptions::scheduler_filters.
/// @param found  of the request's known nodes, without an error.
/// @return assumed pods that kube-scheduler does not count, or may not count; see Doubt::kNotCounted.
std::vector<AssumedPods::Attempt> take_schedulers_word(const LocatedRequest& located, const Engine& engine,
                                                       const std::vector<std::string>& filters,
                                                       FeasibleNodes& found, PassTimes& times);

/// The place that is held for another pod, assumed or nominated, and without which the pod of the request
/// would fit: "3 cpu on node-2 are held for default/g0". "": there is none.
std::string held_place(const LocatedRequest& located, const Engine& engine, PassTimes& times);

}  // namespace winnow
