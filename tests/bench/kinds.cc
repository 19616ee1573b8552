// The engine's processor time for each kind of pod, on one thread: all nodes filtered, what fits scored.
//
//   winnow_kinds write DIR classic|today [NODES=5000] [PODS=150000]
//     DIR/{cluster,pods}.json: a sample and a pod of each kind; DIR/policy.json, the default provider's, or
//     DIR/config.json, the default configuration
//   winnow_kinds time DIR [ROUNDS=101]
//     "NAMESPACE/POD FILTER_NS PRIORITIZE_NS FEASIBLE" for each pod of DIR/pods.json, medians; and
//     "NAMESPACE/POD(first) …": the very first time it was asked
//
// The same files can be given to upstream's own code: see tests/oracle/time.sh.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "cluster/files/cluster_file.h"
#include "cluster/files/cluster_objects.h"
#include "cluster/state/cluster_cache.h"
#include "cluster/state/view.h"
#include "extender/config/extenders.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engine.h"
#include "extender/engine/workers.h"
#include "tests/bench/pairs.h"
#include "tests/bench/sample_json.h"

namespace winnow::bench {
namespace {

constexpr const char* kPolicy = R"({"apiVersion":"v1","kind":"Policy"})";

void write(const std::filesystem::path& dir, bool today, Sample::Size size) {
  const Sample sample(size);
  std::filesystem::remove_all(dir);
  std::filesystem::create_directories(dir);
  std::ofstream cluster(dir / "cluster.json"), asked(dir / "pods.json");
  std::ofstream config(dir / (today ? "config.json" : "policy.json"));
  write_cluster(cluster, sample);
  std::vector<Pod> pods;
  for (const Asked kind :
       today ? std::span<const Asked>(kAskedToday) : std::span<const Asked>(kAskedClassic)) {
    pods.push_back(asked_pod(sample, kind));
    pods.back().metadata.name = to_string(kind);
  }
  write_pods(asked, pods);
  config << (today ? kDefaultConfig : kPolicy) << '\n';
}

ClusterObjects read(const std::filesystem::path& file) {
  const std::string name = file.string();
  auto objects = read_cluster(std::span(&name, 1));
  if (!objects) {
    std::fprintf(stderr, "%s\n", objects.error().message.c_str());
    std::exit(2);
  }
  return std::move(*objects);
}

/// One pod's cycle, as a request would have it, without decoding and encoding.
struct Cycle {
  double filter = 0, prioritize = 0;
  std::size_t feasible = 0;
};

Cycle run(const Engine& engine, ClusterCache& cache, const Pod& pod) {
  Cycle cycle;
  {
    const ClusterCache::ReadGuard state = cache.read();
    const View view(*state);
    const std::vector<NodeId> nodes = view.all_nodes();
    std::vector<NodeId> feasible;
    PassTimes times;
    cycle.filter = cost([&] {
      const Filtered filtered = engine.filter({pod, view, nodes, engine.rules().accounting}, false, times);
      for (std::size_t i = 0; i < nodes.size(); ++i)
        if (filtered.fits(i)) feasible.push_back(nodes[i]);
    });
    cycle.prioritize = cost([&] {
      if (!engine.prioritize({pod, view, feasible, engine.rules().accounting}, false, times)) std::abort();
    });
    cycle.feasible = feasible.size();
  }
  cache.settle();
  return cycle;
}

void print(const Pod& pod, const char* note, double filter, double prioritize, std::size_t feasible) {
  std::printf("%s/%s%s %.0f %.0f %zu\n", pod.metadata.namespace_.c_str(), pod.metadata.name.c_str(), note,
              filter, prioritize, feasible);
}

int time(const std::filesystem::path& dir, int rounds) {
  const bool today = std::filesystem::exists(dir / "config.json");
  const LoadedRules loaded = load_rules("", today ? kDefaultConfig : kPolicy, {.exact_v116 = !today}).value();
  const RuleSet& rules = loaded.sets.front();
  ClusterCache cache(State::Options{rules.accounting, rules.exact_zones, rules.generation});
  cache.write([&](State& state) { load(state, read(dir / "cluster.json")); });
  Workers workers(0);
  const Engine engine(rules, workers);
  const ClusterObjects asked = read(dir / "pods.json");
  for (const Pod& pod : asked.of<Pod>()) {
    const Cycle first = run(engine, cache, pod);
    std::vector<double> filter, prioritize;
    Cycle cycle;
    for (int round = 0; round < rounds; ++round) {
      cycle = run(engine, cache, pod);
      filter.push_back(cycle.filter);
      prioritize.push_back(cycle.prioritize);
    }
    print(pod, "", median(filter), median(prioritize), cycle.feasible);
    print(pod, "(first)", first.filter, first.prioritize, first.feasible);
  }
  return 0;
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  using namespace winnow::bench;
  const auto number = [&](int i, int otherwise) { return argc > i ? std::atoi(argv[i]) : otherwise; };
  if (argc >= 4 && std::string_view(argv[1]) == "write") {
    write(argv[2], std::string_view(argv[3]) == "today",
          {static_cast<std::size_t>(number(4, 5000)), static_cast<std::size_t>(number(5, 150'000))});
    return 0;
  }
  if (argc >= 3 && std::string_view(argv[1]) == "time") return winnow::bench::time(argv[2], number(3, 101));
  std::fprintf(stderr, "usage: winnow_kinds write DIR classic|today [NODES] [PODS] | time DIR [ROUNDS]\n");
  return 2;
}
