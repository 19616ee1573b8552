#include "cluster/state/to_node.h"

#include <algorithm>
#include <utility>

#include "cluster/api/declared_features.h"

namespace winnow {
namespace {

ResourceList allocatable_of(const State& state, NodeId id) {
  const NodeTable& nodes = state.nodes();
  ResourceList list{{"cpu", Quantity::of_millis(nodes.allocatable_cpu[id])},
                    {"memory", Quantity::of_units(nodes.allocatable_memory[id])},
                    {"ephemeral-storage", Quantity::of_units(nodes.allocatable_ephemeral[id])},
                    {"pods", Quantity::of_units(nodes.allocatable_pods[id])}};
  for (const Symbol resource : nodes.offers[id])
    list.emplace(state.names().symbols[resource],
                 Quantity::of_units(nodes.scalar(resource)->allocatable[id]));
  return list;
}

/// Conditions whose flags are those of the node, in their order.
std::vector<NodeCondition> conditions_of(std::uint16_t flags) {
  std::vector<NodeCondition> conditions;
  for (unsigned place = 0; place < kMaxBadConditions; ++place) {
    const unsigned bad = bad_condition(flags, place);
    if (bad == kNotReady) conditions.push_back({"Ready", "False"});
    if (bad == kNetworkUnavailable) conditions.push_back({"NetworkUnavailable", "True"});
  }
  constexpr std::pair<NodeFlag, const char*> kPressures[] = {
      {kMemoryPressure, "MemoryPressure"}, {kDiskPressure, "DiskPressure"}, {kPidPressure, "PIDPressure"}};
  for (const auto& [flag, type] : kPressures)
    if (flags & flag) conditions.push_back({type, "True"});
  return conditions;
}

std::vector<ContainerImage> images_of(const NodeTable& nodes, const Symbols& symbols, NodeId id) {
  std::vector<ContainerImage> images;
  for (const Symbol name : nodes.image_names[id]) {
    const NodeTable::ImageUse& use = *nodes.image(name);
    const auto here = std::ranges::find(use, id, &NodeTable::ImageOnNode::node);
    images.push_back({{symbols[name]}, here->size});
  }
  return images;
}

}  // namespace

Node to_node(const State& state, NodeId id) {
  const NodeTable& nodes = state.nodes();
  const Dictionaries& names = state.names();
  Node node;
  node.metadata.name = nodes.name[id];
  for (const auto& [key, value] : nodes.labels[id])
    node.metadata.labels.emplace(names.symbols[key], names.symbols[value]);
  node.spec.unschedulable = (nodes.flags[id] & kUnschedulable) != 0;
  node.spec.taints = names.taints[nodes.taints[id]];
  node.status.allocatable = allocatable_of(state, id);
  node.status.conditions = conditions_of(nodes.flags[id]);
  node.status.images = images_of(nodes, names.symbols, id);
  node.status.declared_features = feature_names(nodes.features[id]);
  if (nodes.avoids[id] != kNone) node.prefer_avoid_pods = names.avoids[nodes.avoids[id]];
  return node;
}

}  // namespace winnow
