// What events cost, and what a selector costs at its first use and later.
#include <benchmark/benchmark.h>

#include "cluster/state/view.h"
#include "tests/bench/bench.h"

namespace winnow::bench {
namespace {

constexpr Sample::Size kSize{.nodes = 5000, .pods = 150'000};

/// A state of its own: events change it.
struct Loaded {
  Loaded() { sample.load(state); }
  const Sample sample{kSize};
  State state;
};
Loaded& loaded() {
  static Loaded one;
  return one;
}

void set_and_remove_pod(benchmark::State& run) {
  Loaded& at = loaded();
  std::vector<Pod> pods;
  for (std::size_t i = 0; i < 1000; ++i) pods.push_back(at.sample.pod(i * 149));
  std::size_t i = 0;
  for (auto _ : run) {
    const Pod& pod = pods[i++ % pods.size()];
    at.state.remove_pod(pod.metadata.namespace_, pod.metadata.name);
    at.state.set_pod(pod);
  }
  run.SetItemsProcessed(run.iterations() * 2);
}

void set_node(benchmark::State& run) {
  Loaded& at = loaded();
  std::vector<Node> nodes;
  for (std::size_t i = 0; i < 100; ++i) nodes.push_back(at.sample.node(i * 49));
  std::size_t i = 0;
  for (auto _ : run) at.state.set_node(nodes[i++ % nodes.size()]);
  run.SetItemsProcessed(run.iterations());
}

/// A selector of a namespace's own that nobody has asked about yet: groups are gone through each time.
void count_new_selector(benchmark::State& run) {
  Loaded& at = loaded();
  const View view(at.state);
  const Service service = at.sample.service(at.sample.small_app());
  const Selector selector = selector_from_set(*service.selector);
  for (auto _ : run) benchmark::DoNotOptimize(view.count_pods(service.metadata.namespace_, selector));
}

/// The same after the writer has taken it in.
void count_kept_selector(benchmark::State& run) {
  loaded().state.groups.keep_wanted();
  count_new_selector(run);
}

void keep_selector(benchmark::State& run) {
  Loaded& at = loaded();
  const View view(at.state);
  for (std::size_t app = 1000; auto _ : run) {
    run.PauseTiming();
    const Service service = at.sample.service(app++ % at.sample.apps());
    benchmark::DoNotOptimize(
        view.count_pods(service.metadata.namespace_, selector_from_set(*service.selector)));
    run.ResumeTiming();
    at.state.groups.keep_wanted();
  }
}

}  // namespace

void add_event_cases() {
  benchmark::RegisterBenchmark("event/remove_pod+set_pod", set_and_remove_pod);
  benchmark::RegisterBenchmark("event/set_node", set_node);
  benchmark::RegisterBenchmark("selector/first_use", count_new_selector);
  benchmark::RegisterBenchmark("selector/kept", count_kept_selector);
  benchmark::RegisterBenchmark("selector/keep", keep_selector)->Iterations(2000);
}

}  // namespace winnow::bench
