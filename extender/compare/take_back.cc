#include "extender/compare/take_back.h"

#include <cstddef>
#include <string>

namespace winnow {

Before::Before(const State& state) : budgets_(state.objects.of<PodDisruptionBudget>()) {
  for (const PodId id : state.pending_pods()) pending_.push_back(state.to_pod(id));
}

void Before::put_back(State& state, const SimulationResult& result) const {
  for (const SimulatedPod& pod : result.pods) {
    if (pod.end != PodEnd::kPlaced) continue;
    const std::string name = result.batches[pod.batch].pod_name(pod.index);
    const std::size_t slash = name.find('/');
    state.remove_pod(name.substr(0, slash), name.substr(slash + 1));
  }
  for (const Pod& pod : pending_) state.set_pod(pod);
  // What was taken last is given back first: an object may have been taken more than once.
  const Reserved& reserved = result.reserved;
  for (std::size_t i = reserved.volumes.size(); i-- > 0;) state.volumes.set(reserved.volumes[i]);
  for (std::size_t i = reserved.claims.size(); i-- > 0;) state.volumes.set(reserved.claims[i]);
  for (const SimulatedPod& pod : result.pods)
    for (const PersistentVolumeClaim& claim : result.batches[pod.batch].claims(pod.index))
      state.volumes.remove_claim(claim.metadata.namespace_, claim.metadata.name);
  state.objects.of<PodDisruptionBudget>() = budgets_;
}

}  // namespace winnow
