// The processor time of a preemption's search, on one thread, for each kind of pod.
//
//   winnow_preemption [NODES=5000] [PODS=150000] [ROUNDS=21]
//
// Every node is full, and all its pods have a lower priority than the pod that is asked about: three
// priorities, and a start time each. A tenth of them mounts a volume that counts against its node's limit. A
// line for each kind: the search when it is asked first, with no selector of its own counted yet, then its
// median, in milliseconds, what the median is over that of filtering all nodes, and the nodes that are freed.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "cluster/state/cluster_cache.h"
#include "cluster/state/view.h"
#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engine.h"
#include "extender/engine/victim_search.h"
#include "extender/engine/workers.h"
#include "tests/bench/pairs.h"
#include "tests/bench/sample.h"

namespace winnow::bench {
namespace {

constexpr const char* kDriver = "csi.example.com";

std::int64_t milli_cpu(const Pod& pod) {
  return pod_requests(pod, Accounting::kToday, /*with_status=*/false).milli_cpu;
}

/// Gives the pod a claim of its own, which is bound to a volume of its own.
void mount(State& state, Pod& pod, const std::string& name) {
  PersistentVolume volume;
  volume.metadata.name = name;
  volume.access_modes = {"ReadWriteOnce"};
  volume.claim_namespace = pod.metadata.namespace_;
  volume.claim_name = name;
  volume.source = {.source = VolumeSource::kCsi, .id = kDriver};
  volume.csi_volume_handle = name;
  volume.phase = "Bound";
  state.volumes.set(std::move(volume));
  PersistentVolumeClaim claim;
  claim.metadata.name = name;
  claim.metadata.namespace_ = pod.metadata.namespace_;
  claim.metadata.annotations = {{"pv.kubernetes.io/bind-completed", "yes"}};
  claim.volume_name = name;
  claim.storage_class_name = "";
  claim.access_modes = {"ReadWriteOnce"};
  claim.phase = "Bound";
  state.volumes.set(std::move(claim));
  pod.spec.volumes.push_back({.name = "data", .source = VolumeSource::kPersistentVolumeClaim, .id = name});
}

/// The sample, with every node full.
void load_full(State& state, const Sample& sample) {
  sample.load(state);
  std::vector<std::int64_t> requested(sample.nodes(), 0);
  std::vector<std::int32_t> volumes(sample.nodes(), 0);
  for (std::size_t i = 0; i < sample.pods(); ++i) {
    Pod pod = sample.pod(i);
    const NodeId node = state.find_node(pod.spec.node_name);
    pod.spec.priority = static_cast<std::int32_t>(i % 3) * 5;
    pod.status.start_time = 1'700'000'000 + static_cast<std::int64_t>(i);
    requested[node] += milli_cpu(pod);
    if (i % 10 == 0) {
      mount(state, pod, "data-" + std::to_string(i));
      ++volumes[node];
    }
    state.set_pod(pod);
  }
  for (std::size_t i = 0; i < sample.nodes(); ++i) {
    Node node = sample.node(i);
    const NodeId id = state.find_node(node.metadata.name);
    node.status.allocatable["cpu"] = Quantity::of_millis(requested[id] + 500);
    state.set_node(node);
    CsiNode csi_node;
    csi_node.metadata.name = node.metadata.name;
    csi_node.drivers.push_back({kDriver, "x", {}, volumes[id]});
    state.volumes.set(std::move(csi_node));
  }
}

struct Question {
  const char* name;
  Pod pod;
};

std::vector<Question> questions(State& state, const Sample& sample) {
  std::vector<Question> all = {{"plain", asked_pod(sample, Asked::kPlain)},
                               {"spread", asked_pod(sample, Asked::kHardSpread)},
                               {"anti-affinity", asked_pod(sample, Asked::kRequiredAntiAffinity)},
                               {"affinity", asked_pod(sample, Asked::kRequiredPodAffinity)},
                               {"namespace selector", asked_pod(sample, Asked::kNamespaceSelector)},
                               {"volumes", asked_pod(sample, Asked::kPlain)}};
  mount(state, all.back().pod, "data-asked");
  for (Question& one : all) {
    one.pod.spec.priority = 1000;
    one.pod.spec.containers.front().resources.requests["cpu"] = Quantity::of_millis(2000);
  }
  return all;
}

int run(Sample::Size size, int rounds) {
  const Sample sample(size);
  const LoadedRules loaded = load_rules("", kDefaultConfig, {}).value();
  const RuleSet& rules = loaded.sets.front();
  ClusterCache cache(State::Options{rules.accounting, rules.exact_zones, rules.generation});
  std::vector<Question> asked;
  cache.write([&](State& state) {
    load_full(state, sample);
    asked = questions(state, sample);
  });
  Workers workers(0);
  const Engine engine(rules, workers);
  std::printf("%-20s %10s %10s %12s %8s\n", "pod", "first, ms", "then, ms", "over filter", "freed");
  for (const Question& one : asked) {
    std::vector<double> searches, filters;
    std::size_t freed = 0;
    for (int round = 0; round <= rounds; ++round) {
      {
        const ClusterCache::ReadGuard state = cache.read();
        const View view(*state);
        searches.push_back(cost([&] { freed = search_victims(engine, view, one.pod).nodes.size(); }));
        const std::vector<NodeId> nodes = view.all_nodes();
        PassTimes times;
        filters.push_back(
            cost([&] { engine.filter({one.pod, view, nodes, rules.accounting}, false, times); }));
      }
      cache.settle();
    }
    const std::vector<double> later(searches.begin() + 1, searches.end());
    const std::vector<double> later_filters(filters.begin() + 1, filters.end());
    std::printf("%-20s %10.1f %10.1f %12.1f %8zu\n", one.name, searches.front() / 1e6, median(later) / 1e6,
                median(ratios(later, later_filters)), freed);
  }
  return 0;
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  const auto number = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  return winnow::bench::run(
      {static_cast<std::size_t>(number(1, 5000)), static_cast<std::size_t>(number(2, 150'000))},
      number(3, 21));
}
