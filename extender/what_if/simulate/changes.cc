#include "extender/what_if/simulate/changes.h"

#include <algorithm>
#include <format>
#include <string_view>

#include "cluster/api/selector.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/what_if/simulate/batch.h"

namespace winnow {
namespace {

/// Upstream: pkg/apis/core/annotation_key_constants.go, v1.TaintNodeUnschedulable v1.37.0.
constexpr std::string_view kUnschedulableTaint = "node.kubernetes.io/unschedulable";

constexpr std::string_view kUnreachableTaint = "node.kubernetes.io/unreachable";

void add_taint(Node& node, std::string_view key, const char* effect) {
  const auto is_it = [&](const Taint& taint) { return taint.key == key && taint.effect == effect; };
  if (std::ranges::none_of(node.spec.taints, is_it))
    node.spec.taints.push_back({std::string(key), "", effect});
}

/// A pod goes when the first of its tolerations ends.
/// Upstream: pkg/controller/tainteviction/taint_eviction.go getMinTolerationTime v1.37.0.
bool stays_for_ever(const Pod& pod) {
  const Taint taint{std::string(kUnreachableTaint), "", "NoExecute"};
  bool tolerated = false;
  for (const Toleration& one : pod.spec.tolerations) {
    if (!tolerates(one, taint)) continue;
    if (one.toleration_seconds) return false;
    tolerated = true;
  }
  return tolerated;
}

void set_labels(State& state, const std::vector<LabelChange>& labels) {
  for (const LabelChange& change : labels) {
    const NodeId id = state.find_node(change.node);
    if (id == kNone) continue;
    Node node = state.nodes().to_node(id);
    if (change.value)
      node.metadata.labels.insert_or_assign(change.key, *change.value);
    else
      node.metadata.labels.erase(change.key);
    state.set_node(node);
  }
}

std::vector<Pod> delete_pods(State& state, const Changes& changes) {
  std::vector<Pod> deleted;
  for (const auto& [ns, name] : changes.delete_pods) {
    const PodId id = state.find_pod(ns, name);
    if (id == kNone) continue;
    if (state.pod(id).assigned) deleted.push_back(state.to_pod(id));
    state.remove_pod(ns, name);
  }
  return deleted;
}

}  // namespace

bool Changes::empty() const {
  return remove_nodes.empty() && fail_nodes.empty() && cordon.empty() && delete_pods.empty() &&
         labels.empty() && templates.empty();
}

std::vector<Pod> pods_of(const State& state, NodeId node) {
  std::vector<Pod> pods;
  for (const PodId id : state.pods_on(node)) pods.push_back(state.to_pod(id));
  std::ranges::sort(pods, {}, [](const Pod& pod) {
    return std::pair<std::string_view, std::string_view>(pod.metadata.namespace_, pod.metadata.name);
  });
  return pods;
}

std::string add_node(State& state, const Node& node, std::size_t& next) {
  Node added = node;
  do added.metadata.name = std::format("{}-{}", node.metadata.name, next++);
  while (state.find_node(added.metadata.name) != kNone);
  added.metadata.labels.insert_or_assign("kubernetes.io/hostname", added.metadata.name);
  state.set_node(added);
  return added.metadata.name;
}

void cordon(State& state, const std::string& name) {
  const NodeId id = state.find_node(name);
  if (id == kNone) return;
  Node node = state.nodes().to_node(id);
  node.spec.unschedulable = true;
  add_taint(node, kUnschedulableTaint, "NoSchedule");
  state.set_node(node);
}

void fail_node(State& state, const std::string& name, Changed& changed) {
  const NodeId id = state.find_node(name);
  if (id == kNone) return;
  Node node = state.nodes().to_node(id);
  add_taint(node, kUnreachableTaint, "NoSchedule");
  add_taint(node, kUnreachableTaint, "NoExecute");
  std::erase_if(node.status.conditions, [](const NodeCondition& one) { return one.type == "Ready"; });
  node.status.conditions.push_back({"Ready", "Unknown"});
  state.set_node(node);
  ++changed.failed_nodes;
  for (Pod& pod : pods_of(state, state.find_node(name))) {
    if (goes_with_node(pod.metadata) || stays_for_ever(pod)) {
      ++changed.stay;
      continue;
    }
    Pod ending = pod;
    ending.metadata.deleting = true;
    state.set_pod(ending);
    changed.failed.push_back(std::move(pod));
  }
}

Changed make_changes(State& state, const Changes& changes) {
  Changed changed;
  for (const Node& node : changes.templates)
    for (std::size_t i = 0, next = 1; i < changes.count; ++i)
      changed.added.push_back(add_node(state, node, next));
  set_labels(state, changes.labels);
  for (const std::string& node : changes.cordon) cordon(state, node);
  changed.deleted = delete_pods(state, changes);
  for (const std::string& node : changes.remove_nodes) {
    const NodeId id = state.find_node(node);
    if (id == kNone) continue;  // Named twice.
    for (Pod& pod : pods_of(state, id)) {
      state.remove_pod(pod.metadata.namespace_, pod.metadata.name);
      changed.lost.push_back(std::move(pod));
    }
    state.remove_node(node);
  }
  for (const std::string& node : changes.fail_nodes) fail_node(state, node, changed);
  return changed;
}

}  // namespace winnow
