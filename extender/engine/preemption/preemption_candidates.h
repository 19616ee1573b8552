// The nodes where evictions may make room for a pod, with the pods that could go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "extender/engine/engine.h"
#include "extender/engine/preemption/candidate.h"

namespace winnow {

/// The nodes that a pod does not fit, by whether evictions may help.
///
/// The functions below take `filtered` for the nodes of `names`, in that order: all rules were asked, no node
/// fits, and there is no error.
struct PreemptionCandidates {
  /// In the order of the names. Each has all its pods of lower priority, the highest priority first, and of
  /// equal ones the oldest.
  std::vector<Candidate> chosen;
  std::size_t all = 0;              ///< The number of nodes that `chosen` was chosen from.
  std::size_t beyond_help = 0;      ///< Nodes on which no eviction helps.
  std::size_t without_victims = 0;  ///< Nodes on which there is no pod of lower priority.
};

/// @param most  the most candidates to choose. They are spread evenly over all.
/// @param spared  pods that are no victims, sorted: those that wait, and only count on a node.
PreemptionCandidates find_preemption_candidates(const View& view, const Pod& pod,
                                                std::span<const std::string> names, const Filtered& filtered,
                                                std::size_t most, std::span<const PodId> spared);

/// Whether evictions may make the pod fit the node, by the verdicts of the rules that refuse it. With
/// alwaysCheckAllPredicates every rule that refuses must allow it, otherwise the first one.
/// Upstream: NodesForStatusCode v1.37.0, core/generic_scheduler.go nodesWherePreemptionMightHelp v1.16.15.
bool may_help(const Filtered& filtered, std::size_t node);

/// The reason why the pod may not preempt at all, in upstream's words; "" if it may. v1.16 waits for every
/// pod of lower priority that is being deleted on the nominated node. Today's waits for those that a
/// preemption evicts, and for none if no eviction can help there.
/// Upstream: default_preemption.go PodEligibleToPreemptOthers v1.37.0, core/generic_scheduler.go
/// podEligibleToPreemptOthers v1.16.15.
/// @param nominated  the index of the pod's nominated node among the nodes that were filtered, if it is one.
std::string not_eligible(const View& view, const Pod& pod, const Filtered& filtered,
                         std::optional<std::size_t> nominated);

/// The pod's priority; 0 if it has none.
std::int32_t priority_of(const State& state, PodId pod);
/// "namespace/name".
std::string full_name(const State& state, PodId pod);

}  // namespace winnow
