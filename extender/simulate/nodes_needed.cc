#include "extender/simulate/nodes_needed.h"

#include <optional>
#include <string>
#include <utility>

#include "cluster/api/store.h"

namespace winnow {
namespace {

/// @return false if the node was of no use.
bool grow(Simulation& simulation, const Node& node, std::size_t& next, NodesNeeded& needed) {
  State& state = simulation.state();
  const std::string name = add_node(state, node, next);
  simulation.objects_changed();
  simulation.run();
  const NodeId id = state.find_node(name);
  if (!state.pods_on(id).empty()) {
    ++needed.nodes;
    return true;
  }
  if (const std::optional<Pod> pod = simulation.first_refused(); pod && simulation.goes_on()) {
    needed.pod = key_of(pod->metadata);
    needed.why = simulation.placer().why_not(*pod, id);
  }
  state.remove_node(name);
  simulation.objects_changed();
  return false;
}

}  // namespace

void add_nodes_until_all_fit(Simulation& simulation, const Node& node, std::size_t most) {
  NodesNeeded needed;
  simulation.run();
  for (std::size_t next = 1; needed.nodes < most && simulation.goes_on() && simulation.first_refused();)
    if (!grow(simulation, node, next, needed)) break;
  needed.enough = simulation.goes_on() && !simulation.first_refused();
  simulation.result().nodes_needed = std::move(needed);
}

}  // namespace winnow
