// Changes to the cluster, made before anything is placed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/node.h"
#include "cluster/state/row_values.h"

namespace winnow {

class State;

struct LabelChange {
  std::string node, key;
  std::optional<std::string> value;  ///< Nothing: the label is removed.
};

struct Changes {
  std::vector<std::string> remove_nodes;
  std::vector<std::string> fail_nodes;  ///< Nodes that stay, and are not heard of any more.
  std::vector<std::string> cordon;
  std::vector<std::pair<std::string, std::string>> delete_pods;  ///< Namespace and name.
  std::vector<LabelChange> labels;
  std::vector<Node> templates;  ///< Nodes to add, in turn.
  std::size_t count = 1;        ///< How often each.

  bool empty() const;
};

/// What the changes brought, and took away.
struct Changed {
  std::vector<std::string> added;  ///< Nodes.
  std::vector<Pod> lost;           ///< Pods of removed nodes, with spec.nodeName, by node and name.
  std::vector<Pod> deleted;        ///< Those of delete_pods that had a node.
  std::size_t failed_nodes = 0;
  std::vector<Pod> failed;  ///< Pods that were evicted from failed nodes, as they were.
  std::size_t stay = 0;     ///< Pods that stay on failed nodes: they tolerate it for ever.
};

/// Makes the changes: nodes are added, labels set, nodes cordoned, pods deleted, nodes removed, nodes failed.
/// A name that is not in the state is ignored.
Changed make_changes(State& state, const Changes& changes);

/// Adds one node of a template: named NAME-1, NAME-2 and so on, by the first number that is free from `next`
/// on. Its label kubernetes.io/hostname is its name.
/// @return its name.
std::string add_node(State& state, const Node& node, std::size_t& next);

/// As `kubectl cordon`, with the taint that the node controller then sets. An unknown name is ignored.
void cordon(State& state, const std::string& name);

/// As the node lifecycle controller does to a node that its kubelet has left: the condition Ready is Unknown,
/// and the node has the taint unreachable, for NoSchedule and NoExecute. Its pods that do not tolerate this
/// for ever are deleted; no kubelet ends them, so that they stay on the node, being deleted.
/// Upstream: pkg/controller/nodelifecycle/node_lifecycle_controller.go processTaintBaseEviction,
/// pkg/controller/tainteviction/taint_eviction.go v1.37.0.
void fail_node(State& state, const std::string& name, Changed& changed);

/// The pods on a node, in order of namespace and name; as State::to_pod() has them.
std::vector<Pod> pods_of(const State& state, NodeId node);

}  // namespace winnow
