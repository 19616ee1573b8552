#include "cluster/expand/daemon_pods.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "cluster/api/selector.h"

namespace winnow {
namespace {

/// What the controller reads of a node.
struct NodeFace {
  StringMap labels;
  std::vector<Taint> taints;
};

NodeFace face_of(const State& cluster, NodeId node) {
  const Dictionaries& names = cluster.names();
  NodeFace face{.labels = {}, .taints = names.taints[cluster.nodes().taints[node]]};
  for (const auto& [key, value] : cluster.nodes().labels[node])
    face.labels.emplace(names.symbols[key], names.symbols[value]);
  return face;
}

/// Upstream: component-helpers scheduling/corev1/nodeaffinity GetRequiredNodeAffinity v0.37.0. A term that
/// cannot be parsed matches nothing.
bool selects(const PodSpec& spec, const StringMap& labels, std::string_view name) {
  for (const auto& [key, value] : spec.node_selector) {
    const auto label = labels.find(key);
    if (label == labels.end() || label->second != value) return false;
  }
  const bool has_terms =
      spec.affinity && spec.affinity->node_affinity && spec.affinity->node_affinity->required;
  return !has_terms || matches(*spec.affinity->node_affinity->required, labels, name);
}

bool tolerates_all(const PodSpec& spec, const std::vector<Taint>& taints) {
  return std::ranges::all_of(taints, [&](const Taint& taint) {
    return (taint.effect != "NoSchedule" && taint.effect != "NoExecute") ||
           tolerates(spec.tolerations, taint);
  });
}

bool has_daemon(const State& cluster, NodeId node, std::string_view ns, std::string_view daemon_set) {
  return std::ranges::any_of(cluster.pods_on(node), [&](PodId pod) {
    if (cluster.pod_namespace(cluster.pod(pod)) != ns) return false;
    return std::ranges::any_of(cluster.metadata_of(pod).owner_references, [&](const OwnerReference& owner) {
      return owner.controller && owner.kind == "DaemonSet" && owner.name == daemon_set;
    });
  });
}

/// Upstream: Toleration.MatchToleration, of api v0.37.0.
bool is_same(const Toleration& a, const Toleration& b) {
  return a.key == b.key && a.effect == b.effect && a.op == b.op && a.value == b.value;
}

/// Upstream: pkg/apis/core/v1/helper/helpers.go AddOrUpdateTolerationInPodSpec v1.37.0.
void add_or_update(std::vector<Toleration>& tolerations, const Toleration& one) {
  bool updated = false;
  for (Toleration& other : tolerations) {
    if (!is_same(one, other)) continue;
    other = one;
    updated = true;
  }
  if (!updated) tolerations.push_back(one);
}

}  // namespace

void add_daemon_tolerations(PodSpec& spec) {
  constexpr std::pair<const char*, const char*> kTolerated[] = {
      {"node.kubernetes.io/not-ready", "NoExecute"},
      {"node.kubernetes.io/unreachable", "NoExecute"},
      {"node.kubernetes.io/disk-pressure", "NoSchedule"},
      {"node.kubernetes.io/memory-pressure", "NoSchedule"},
      {"node.kubernetes.io/pid-pressure", "NoSchedule"},
      {"node.kubernetes.io/unschedulable", "NoSchedule"},
      {"node.kubernetes.io/network-unavailable", "NoSchedule"},  // The last: of pods on the host's network.
  };
  for (const auto& [key, effect] : kTolerated)
    if (spec.host_network || key != kTolerated[std::size(kTolerated) - 1].first)
      add_or_update(spec.tolerations,
                    {.key = key, .op = "Exists", .value = "", .effect = effect, .toleration_seconds = {}});
}

void require_node(PodSpec& spec, const std::string& node) {
  if (!spec.affinity) spec.affinity.emplace();
  auto& affinity = spec.affinity->node_affinity;
  if (!affinity) affinity.emplace();
  affinity->required.emplace().terms.push_back(
      {.match_expressions = {}, .match_fields = {{.key = "metadata.name", .op = "In", .values = {node}}}});
}

std::vector<std::string> daemon_nodes(const PodSpec& spec, std::string_view ns, std::string_view daemon_set,
                                      const State& cluster, std::span<const Node> added) {
  const auto fits = [&](const NodeFace& face, const std::string& name) {
    return selects(spec, face.labels, name) && tolerates_all(spec, face.taints);
  };
  std::map<std::string, bool> nodes;
  const NodeTable& table = cluster.nodes();
  for (NodeId node = 0; node < table.capacity(); ++node)
    if (const std::string& name = table.name[node]; !name.empty())
      nodes[name] = fits(face_of(cluster, node), name);
  for (const Node& one : added)
    nodes[one.metadata.name] = fits({one.metadata.labels, one.spec.taints}, one.metadata.name);
  std::vector<std::string> names;
  for (const auto& [name, is_right] : nodes) {
    const NodeId node = cluster.find_node(name);
    if (is_right && (node == kNone || !has_daemon(cluster, node, ns, daemon_set))) names.push_back(name);
  }
  return names;
}

}  // namespace winnow
