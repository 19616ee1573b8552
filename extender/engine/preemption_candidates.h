// The nodes where evictions may make room for a pod, and which pods could go.
#pragma once

#include <string>

#include "extender/engine/victims.h"

namespace winnow {

/// What has become of the nodes that a pod does not fit. In the functions below: of the names' nodes all
/// rules were asked, none fits, and there is no error.
struct PreemptionCandidates {
  std::vector<Candidate> chosen;    ///< By name; each with all pods of lower priority, the highest first.
  std::size_t all = 0;              ///< How many there are to choose from.
  std::size_t beyond_help = 0;      ///< Nodes on which no eviction helps.
  std::size_t without_victims = 0;  ///< Nodes on which there is no pod of lower priority.
};

/// @param most  chosen, evenly.
PreemptionCandidates find_preemption_candidates(const View& view, const Pod& pod,
                                                std::span<const std::string> names, const Filtered& filtered,
                                                std::size_t most);

/// Why nobody would be evicted for this pod, whatever is on the nodes; "": that cannot be said. In upstream's
/// words. Upstream: default_preemption.go PodEligibleToPreemptOthers v1.37.0.
std::string not_eligible(const View& view, const Pod& pod, std::span<const std::string> names,
                         const Filtered& filtered);

/// A pod without a priority has 0.
std::int32_t priority_of(const State& state, PodId pod);
/// "namespace/name".
std::string full_name(const State& state, PodId pod);

}  // namespace winnow
