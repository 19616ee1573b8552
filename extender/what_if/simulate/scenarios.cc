#include "extender/what_if/simulate/scenarios.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/meta.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/what_if/simulate/changes.h"
#include "extender/what_if/simulate/shortage.h"
#include "extender/what_if/simulate/simulation.h"

namespace winnow {
namespace {

/// Takes from `pods` those that are not to be evicted.
void leave_out(SimulationResult& result, std::vector<Pod>& pods) {
  std::erase_if(pods, [&](const Pod& pod) {
    const bool stays = goes_with_node(pod.metadata);
    result.daemon_pods_stay += stays ? 1 : 0;
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

namespace {

bool has_only_daemons(const State& state, NodeId node) {
  return std::ranges::all_of(state.pods_on(node),
                             [&](PodId pod) { return goes_with_node(state.metadata_of(pod)); });
}

/// The DaemonSets on a node without one of which the pod would fit there; or else all of them, if it would
/// fit on the empty node.
std::vector<std::string> in_the_way(Simulation& simulation, const Pod& pod, NodeId node) {
  State& state = simulation.state();
  const auto fits = [&] { return simulation.placer().why_not(pod, node).empty(); };
  const auto remove = [&](const Pod& one) { state.remove_pod(one.metadata.namespace_, one.metadata.name); };
  const std::vector<Pod> daemons = pods_of(state, node);
  std::vector<std::string> all, alone;
  for (const Pod& one : daemons) {
    all.push_back(key_of(one.metadata.namespace_, controller_of(one.metadata)->name));
    remove(one);
    if (fits()) alone.push_back(all.back());
    state.set_pod(one);
  }
  if (!alone.empty() || all.empty()) return alone;
  std::ranges::for_each(daemons, remove);
  if (!fits()) all.clear();
  for (const Pod& one : daemons) state.set_pod(one);
  return all;
}

/// @return false if the node was of no use.
bool grow(Simulation& simulation, const Node& node, std::size_t& next, NodesNeeded& needed) {
  const std::string name = add_node(simulation.state(), node, next);
  simulation.node_came(name);
  simulation.run();
  const NodeId id = simulation.state().find_node(name);
  if (!has_only_daemons(simulation.state(), id)) {
    ++needed.nodes;
    needed.pod.clear();
    needed.why.clear();
    needed.in_the_way.clear();
    return true;
  }
  if (const std::optional<Pod> pod = simulation.first_refused(); pod && simulation.goes_on()) {
    needed.pod = key_of(pod->metadata);
    needed.why = simulation.placer().why_not(*pod, id);
    needed.in_the_way = in_the_way(simulation, *pod, id);
  }
  simulation.take_away(name);
  return false;
}

}  // namespace

void add_nodes_until_all_fit(Simulation& simulation, const std::vector<Node>& templates, std::size_t most) {
  NodesNeeded needed;
  simulation.run();
  needed.waited = simulation.count_refused();
  for (const Node& node : templates) needed.of_templates.emplace_back(node.metadata.name, 0);
  std::vector<std::size_t> next(templates.size(), 1);
  std::size_t useless = 0;  // In a row.
  for (std::size_t turn = 0; needed.nodes < most && useless < templates.size() && simulation.goes_on() &&
                             simulation.first_refused();
       turn = (turn + 1) % templates.size()) {
    const bool was_of_use = grow(simulation, templates[turn], next[turn], needed);
    useless = was_of_use ? 0 : useless + 1;
    needed.of_templates[turn].second += was_of_use ? 1 : 0;
  }
  needed.left = simulation.count_refused();
  needed.enough = simulation.goes_on() && !simulation.first_refused();
  simulation.result().nodes_needed = std::move(needed);
}

namespace {

/// By batch: the nodes that fitted its first pod at the beginning, and those that have taken one.
using OpenNodes = std::map<std::uint32_t, std::set<NodeId>>;

OpenNodes open_nodes(Simulation& simulation, BatchRange batches) {
  OpenNodes open;
  for (std::uint32_t batch = batches.begin; batch < batches.end; ++batch) {
    if (simulation.result().batches[batch].size() == 0) continue;
    const std::vector<NodeId> nodes = simulation.fitting(batch, 0);
    open[batch].insert(nodes.begin(), nodes.end());
  }
  return open;
}

/// One round. @return false if it ends here.
bool place_round(Simulation& simulation, BatchRange batches, std::size_t most, OpenNodes& open,
                 UntilFull& full) {
  for (std::uint32_t batch = batches.begin; batch < batches.end; ++batch) {
    const std::size_t size = simulation.result().batches[batch].size();
    for (std::size_t i = 0; i < size; ++i) {
      if (full.pods == most || !simulation.goes_on()) return false;
      const std::size_t index = full.rounds * size + i;
      Placement placement = simulation.try_at_once(batch, index);
      if (placement.node.empty()) {
        const Batch& pods = simulation.result().batches[batch];
        full.stopped_by = pods.pod_name(index);
        full.why = {.text = std::move(placement.why), .reasons = std::move(placement.reasons), .pods = 1};
        full.shortage =
            shortage_of(simulation.engines(), View(simulation.state()), pods.pod(simulation.state(), index),
                        {open[batch].begin(), open[batch].end()});
        return false;
      }
      open[batch].insert(simulation.state().find_node(placement.node));
      ++full.pods;
    }
  }
  return true;
}

}  // namespace

void place_until_full(Simulation& simulation, BatchRange batches, std::size_t most) {
  UntilFull full;
  for (std::size_t batch = batches.begin; batch < batches.end; ++batch)
    full.round += simulation.result().batches[batch].size();
  OpenNodes open = open_nodes(simulation, batches);
  if (full.round > 0)
    while (place_round(simulation, batches, most, open, full)) ++full.rounds;
  simulation.result().until_full = std::move(full);
}

}  // namespace winnow
