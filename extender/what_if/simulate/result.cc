#include "extender/what_if/simulate/result.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cluster/go_math.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"

namespace winnow {

std::size_t SimulationResult::count(PodEnd end) const {
  return static_cast<std::size_t>(std::ranges::count(pods, end, &SimulatedPod::end));
}

std::size_t NewNodes::pending() const {
  return pods.size() - static_cast<std::size_t>(std::ranges::count(pods, "", &NewDaemonPod::why));
}

namespace {

Amounts requested(const State& state, NodeId id) {
  const NodeTable& nodes = state.nodes();
  return {nodes.requested_cpu[id], nodes.requested_memory[id], nodes.pods[id]};
}

std::string zone_of(const View& view, NodeId id) {
  for (const char* const key : {"topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone"})
    if (const Symbol value = view.label(key)[id]; value != kNone) return std::string(view.text(value));
  return {};
}

}  // namespace

Amounts& Amounts::operator+=(const Amounts& other) {
  cpu = wrap_add(cpu, other.cpu);
  memory = wrap_add(memory, other.memory);
  pods = wrap_add(pods, other.pods);
  return *this;
}

UsageBook::UsageBook(const State& state) {
  const View view(state);
  std::vector<NodeId> ids = view.all_nodes();
  std::ranges::sort(ids, {}, [&](NodeId id) { return view.node_name(id); });
  for (const NodeId id : ids) nodes_[add(state, id)].before = requested(state, id);
}

std::uint32_t UsageBook::add(const State& state, NodeId id) {
  const NodeTable& table = state.nodes();
  NodeFill& node = nodes_.emplace_back();
  node.name = table.name[id];
  node.zone = zone_of(View(state), id);
  node.allocatable = {table.allocatable_cpu[id], table.allocatable_memory[id], table.allocatable_pods[id]};
  const auto number = static_cast<std::uint32_t>(nodes_.size() - 1);
  numbers_.emplace(node.name, number);
  return number;
}

std::uint32_t UsageBook::number_of(const State& state, std::string_view node) {
  const std::string name(node);
  if (const auto known = numbers_.find(name); known != numbers_.end()) return known->second;
  const NodeId id = state.find_node(node);
  return id == kNone ? kNone : add(state, id);
}

std::vector<NodeFill> UsageBook::finish(const State& state) {
  const View view(state);
  std::vector<NodeId> ids = view.all_nodes();
  std::ranges::sort(ids, {}, [&](NodeId id) { return view.node_name(id); });
  for (const NodeId id : ids) {
    NodeFill& node = nodes_[number_of(state, view.node_name(id))];
    node.zone = zone_of(view, id);  // A label may have been set.
    node.after = requested(state, id);
  }
  return std::move(nodes_);
}

std::vector<NodeFill> by_zone(const std::vector<NodeFill>& nodes) {
  std::map<std::string_view, NodeFill> zones;
  for (const NodeFill& node : nodes) {
    if (node.zone.empty()) continue;
    NodeFill& zone = zones[node.zone];
    zone.zone = node.zone;
    if (node.after) zone.allocatable += node.allocatable;
    if (!zone.allocatable_before) zone.allocatable_before = Amounts();
    if (node.before) *zone.allocatable_before += node.allocatable;
    for (const auto part : {&NodeFill::before, &NodeFill::after})
      if (node.*part) {
        if (!(zone.*part)) zone.*part = Amounts();
        *(zone.*part) += *(node.*part);
      }
  }
  std::vector<NodeFill> sums;
  for (auto& [name, zone] : zones) sums.push_back(std::move(zone));
  return sums;
}

std::vector<std::string> lost_zones(const std::vector<NodeFill>& nodes) {
  std::vector<std::string> names;
  for (const NodeFill& zone : by_zone(nodes))
    if (zone.before && !zone.after) names.push_back(zone.zone);
  return names;
}

}  // namespace winnow
