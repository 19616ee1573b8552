// Whether a victim that the rules do not need may be left alone.
#pragma once

#include "extender/engine/ruleset.h"
#include "extender/engine/victims.h"

namespace winnow {

/// kube-scheduler named the victims by its own filters. Those that an eviction can turn are NodeResourcesFit,
/// NodePorts, InterPodAffinity, PodTopologySpread, VolumeRestrictions and NodeVolumeLimits (v1.37.0). A
/// victim may be left alone only where the rules decide all that these decide of the pod on the node:
/// otherwise the node may go on refusing the pod, and the next preemption evicts on another node.
/// @return whether each of the six is among the rules, or has nothing to say about this pod and these
/// victims. A classic rule stands for a filter only as far as it reads pods as that filter does: it knows
/// no ReadWriteOncePod, namespaceSelector, matchLabelKeys, minDomains.
bool may_take_back(const RuleSet& rules, const State& state, const Pod& pod, const Candidate& candidate);

}  // namespace winnow
