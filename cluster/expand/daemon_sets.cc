#include "cluster/expand/daemon_sets.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cluster/api/meta.h"
#include "cluster/state/state.h"

namespace winnow {
namespace {

/// What the pods of one DaemonSet show.
struct DaemonTrace {
  PodId newest = kNone;  ///< Of the pods that are not being deleted.
  std::int64_t generation = -1;
  std::unordered_set<NodeId> nodes;
};
using DaemonTraces = std::map<std::string, DaemonTrace>;

/// The generation of the template that the pod was made of; 0 if nobody says.
std::int64_t template_generation(const ObjectMeta& pod) {
  std::int64_t generation = 0;
  if (const auto label = pod.labels.find("pod-template-generation"); label != pod.labels.end())
    std::from_chars(label->second.data(), label->second.data() + label->second.size(), generation);
  return generation;
}

/// @return the trace of the pod's DaemonSet; null: it is of none.
DaemonTrace* trace_of(const State& state, PodId id, DaemonTraces& traces) {
  const ObjectMeta pod = state.metadata_of(id);
  const OwnerReference* const owner = controller_of(pod);
  if (!owner || owner->kind != "DaemonSet") return nullptr;
  DaemonTrace& trace = traces[key_of(pod.namespace_, owner->name)];
  if (const std::int64_t generation = template_generation(pod);
      !pod.deleting && generation > trace.generation) {
    trace.newest = id;
    trace.generation = generation;
  }
  return &trace;
}

/// The node that the pod is on, or waits for.
NodeId daemon_node(const State& state, const PodRecord& pod) {
  if (pod.assigned) return pod.node;
  const std::string* const node = required_node(state.spec(pod));
  return node ? state.find_node(*node) : kNone;
}

DaemonTraces trace_daemon_sets(const State& state) {
  DaemonTraces traces;
  // By controller and labels: a cluster has many pods, and few of these.
  std::unordered_map<std::uint64_t, DaemonTrace*> known;
  for (PodId id = 0; id < state.pod_capacity(); ++id) {
    const PodRecord& pod = state.pod(id);
    if (pod.name.empty() || pod.owner == kNone) continue;
    const auto [it, is_new] = known.try_emplace(std::uint64_t{pod.owner} << 32 | pod.group, nullptr);
    if (is_new) it->second = trace_of(state, id, traces);
    if (it->second) it->second->nodes.insert(daemon_node(state, pod));
  }
  return traces;
}

/// Whether a node lacks a pod that it may have by all that pods show.
bool leaves_out_nodes(const State& state, const PodSet& set, const std::unordered_set<NodeId>& nodes) {
  for (NodeId node = 0; node < state.nodes().capacity(); ++node)
    if (!state.nodes().name[node].empty() && !nodes.contains(node) && set.runs_on(state, node)) return true;
  return false;
}

}  // namespace

std::string_view KnownDaemonSet::name() const {
  const std::string_view source = pods.source();
  return source.substr(source.find(' ') + 1);
}

DaemonSets::DaemonSets(const State& state) {
  for (const auto& [name, trace] : trace_daemon_sets(state)) {
    if (trace.newest == kNone) continue;
    PodSet pods = daemon_set_of(state, state.to_pod(trace.newest));
    const bool is_unsure = leaves_out_nodes(state, pods, trace.nodes);
    sets_.push_back({.pods = std::move(pods), .is_unsure = is_unsure});
  }
  sort();
}

void DaemonSets::add(const PodSet& set) {
  if (!set.is_daemon_set()) return;
  std::erase_if(sets_, [&](const KnownDaemonSet& known) { return known.pods.source() == set.source(); });
  sets_.push_back({.pods = set});
  sort();
}

void DaemonSets::sort() {
  std::ranges::sort(sets_, [](const KnownDaemonSet& a, const KnownDaemonSet& b) {
    return std::tuple(b.pods.priority(), a.name()) < std::tuple(a.pods.priority(), b.name());
  });
}

std::vector<KnownDaemonSet> DaemonSets::on_new_node(const State& state, NodeId node) const {
  std::vector<KnownDaemonSet> made;
  for (const KnownDaemonSet& known : sets_)
    if (PodSet pods = known.pods.on_new_node(state, node); pods.size() > 0)
      made.push_back({.pods = std::move(pods), .is_unsure = known.is_unsure});
  return made;
}

std::vector<KnownDaemonSet> DaemonSets::on_new_node(const Node& node) const {
  std::vector<KnownDaemonSet> made;
  for (const KnownDaemonSet& known : sets_)
    if (PodSet pods = known.pods.on_new_node(node); pods.size() > 0)
      made.push_back({.pods = std::move(pods), .is_unsure = known.is_unsure});
  return made;
}

}  // namespace winnow
