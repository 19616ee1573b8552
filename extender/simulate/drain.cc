#include "extender/simulate/drain.h"

#include <cstddef>
#include <utility>

namespace winnow {
namespace {

/// Takes from `pods` those that are not to be evicted.
void leave_out(SimulationResult& result, std::vector<Pod>& pods) {
  std::erase_if(pods, [&](const Pod& pod) {
    const bool stays = goes_with_node(pod.metadata);
    result.daemon_pods += stays ? 1 : 0;
    result.leaving += !stays && pod.metadata.deleting ? 1 : 0;
    return stays || pod.metadata.deleting;
  });
}

}  // namespace

void drain(Simulation& simulation, const std::vector<std::string>& nodes) {
  std::vector<Pod> pods;
  for (const std::string& node : nodes) {
    const NodeId id = simulation.state().find_node(node);
    if (id == kNone) continue;
    cordon(simulation.state(), node);
    for (Pod& pod : pods_of(simulation.state(), id)) pods.push_back(std::move(pod));
  }
  leave_out(simulation.result(), pods);
  for (std::size_t left = pods.size() + 1; pods.size() < left && simulation.goes_on();) {
    left = pods.size();
    for (Pod& pod : std::exchange(pods, {})) {
      const auto& [ns, name] = std::pair(pod.metadata.namespace_, pod.metadata.name);
      if (simulation.state().find_pod(ns, name) == kNone) continue;  // Preempted meanwhile.
      if (!simulation.goes_on() || simulation.budgets().refuses(pod.metadata)) {
        pods.push_back(std::move(pod));
        continue;
      }
      simulation.evict(std::move(pod), PodOrigin::kDrained);
      simulation.run();
    }
  }
  if (!simulation.goes_on()) return;
  for (Pod& pod : pods) {
    std::string why = simulation.budgets().refuses(pod.metadata).value_or("");
    simulation.block(std::move(pod), std::move(why));
  }
}

}  // namespace winnow
