#include "extender/what_if/simulate/workloads.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>

#include "cluster/expand/more_pods.h"
#include "cluster/state/state.h"
#include "extender/what_if/simulate/batch.h"

namespace winnow {

std::vector<KnownWorkload> workloads_of(const State& state) {
  std::map<std::string, KnownWorkload, std::less<>> by_name;
  // By controller and labels: a cluster has many pods, and few of these.
  std::unordered_map<std::uint64_t, KnownWorkload*> known;
  for (PodId id = 0; id < state.pod_capacity(); ++id) {
    const PodRecord& pod = state.pod(id);
    if (pod.name.empty() || pod.owner == kNone) continue;
    const auto [it, is_new] = known.try_emplace(std::uint64_t{pod.owner} << 32 | pod.group, nullptr);
    if (is_new)
      if (const ObjectMeta meta = state.metadata_of(id); !meta.deleting) {
        std::string name = workload_of(meta);
        it->second = &by_name[name];
        it->second->name = std::move(name);
      }
    if (!it->second) continue;
    it->second->pods.push_back(id);
    it->second->on_nodes += pod.assigned ? 1 : 0;
  }
  std::vector<KnownWorkload> workloads;
  for (auto& [name, workload] : by_name) workloads.push_back(std::move(workload));
  return workloads;
}

const KnownWorkload* find_workload(const std::vector<KnownWorkload>& workloads, std::string_view name) {
  const auto found = std::ranges::lower_bound(workloads, name, {}, &KnownWorkload::name);
  return found == workloads.end() || found->name != name ? nullptr : &*found;
}

PodId pattern_of(const State& state, const KnownWorkload& workload) {
  std::map<std::uint32_t, std::size_t> sizes;
  for (const PodId pod : workload.pods) ++sizes[state.pod(pod).owner];
  return *std::ranges::max_element(workload.pods, {}, [&](PodId pod) {
    return std::pair<std::size_t, std::string_view>(sizes[state.pod(pod).owner], state.pod(pod).name);
  });
}

namespace {

/// The larger, the earlier it goes.
using Rank = std::tuple<bool, std::uint32_t, std::size_t, std::string_view>;

}  // namespace

std::vector<std::pair<std::string, std::string>> first_to_go(const State& state,
                                                             const KnownWorkload& workload,
                                                             std::size_t count) {
  const std::string_view full = workload.full_name(), name = full.substr(full.find('/') + 1);
  const bool by_ordinal = workload.kind() == "StatefulSet";
  std::map<NodeId, std::size_t> on_node;
  for (const PodId pod : workload.pods)
    if (state.pod(pod).assigned) ++on_node[state.pod(pod).node];
  std::vector<std::pair<Rank, PodId>> ranked;
  for (const PodId id : workload.pods) {
    const PodRecord& pod = state.pod(id);
    if (by_ordinal)
      ranked.push_back({{false, ordinal_of(name, pod.name).value_or(0), 0, pod.name}, id});
    else
      ranked.push_back({{!pod.assigned, 0, pod.assigned ? on_node[pod.node] : 0, pod.name}, id});
  }
  std::ranges::sort(ranked, std::greater{});
  ranked.resize(std::min(count, ranked.size()));
  std::vector<std::pair<std::string, std::string>> names;
  for (const auto& [rank, id] : ranked)
    names.emplace_back(state.pod_namespace(state.pod(id)), state.pod(id).name);
  return names;
}

}  // namespace winnow
