// What events cost, and what a selector costs at its first use and later.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "cluster/api/decode.h"
#include "cluster/client/watch/watcher.h"
#include "cluster/state/view.h"
#include "tests/bench/bench.h"
#include "tests/bench/sample_json.h"

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

/// So many events are applied at once: see ObjectSink::kEventsPerBatch. They have been decoded just before,
/// and are in the processor's cache.
constexpr std::size_t kBatch = 64;

enum class Event : std::uint8_t { kComesOrGoes, kChanges };

/// Pods of all nodes and workloads, in no order.
std::vector<std::size_t> pods_that(bool have_affinity) {
  std::vector<std::size_t> pods;
  for (std::size_t i = 0; pods.size() < 100 * kBatch; i = (i + 49'999) % kSize.pods)
    if (loaded().sample.pod(i).spec.affinity.has_value() == have_affinity) pods.push_back(i);
  return pods;
}

/// The time of one event. A pod that comes or goes is removed, or set.
void apply_pods(benchmark::State& run, bool have_affinity, Event event) {
  Loaded& at = loaded();
  const std::vector<std::size_t> pods = pods_that(have_affinity);
  std::size_t next = 0;
  for (auto _ : run) {
    run.PauseTiming();
    std::vector<Pod> batch;
    for (std::size_t i = 0; i < kBatch; ++i) batch.push_back(at.sample.pod(pods[next++ % pods.size()]));
    run.ResumeTiming();
    if (event == Event::kComesOrGoes)
      for (const Pod& pod : batch) at.state.remove_pod(pod.metadata.namespace_, pod.metadata.name);
    for (const Pod& pod : batch) at.state.set_pod(pod);
    run.PauseTiming();
    batch.clear();
    run.ResumeTiming();
  }
  run.SetItemsProcessed(run.iterations() * std::int64_t{kBatch} * (event == Event::kComesOrGoes ? 2 : 1));
}

enum class NodeChange : std::uint8_t { kNone, kCordon, kLabel, kAmount, kImage };

/// Another change in each turn, in which all nodes come once.
void change(Node& node, NodeChange what, std::size_t turn) {
  const std::string text = std::to_string(turn % 16);
  if (what == NodeChange::kCordon) node.spec.unschedulable = turn % 2 == 0;
  if (what == NodeChange::kLabel) node.metadata.labels["example.com/turn"] = text;
  if (what == NodeChange::kAmount)
    node.status.allocatable["memory"] = Quantity::of_units(1'000'000'000 + static_cast<std::int64_t>(turn));
  if (what == NodeChange::kImage) node.status.images.front().names = {"registry.example.com/turn:" + text};
}

void apply_nodes(benchmark::State& run, NodeChange what) {
  Loaded& at = loaded();
  for (std::size_t turn = 0; auto _ : run) {
    run.PauseTiming();
    std::vector<Node> batch;
    for (std::size_t i = 0; i < kBatch; ++i) {
      batch.push_back(at.sample.node((turn * kBatch + i) * 49 % kSize.nodes));
      change(batch.back(), what, 1 + turn * kBatch / kSize.nodes);
    }
    ++turn;
    run.ResumeTiming();
    for (const Node& node : batch) at.state.set_node(node);
    run.PauseTiming();
    batch.clear();
    run.ResumeTiming();
  }
  run.SetItemsProcessed(run.iterations() * std::int64_t{kBatch});
}

/// A watch event's line, from its bytes to a Pod.
void decode_pod_event(benchmark::State& run) {
  const Sample& sample = loaded().sample;
  const std::string line = R"({"type":"MODIFIED","object":)" + to_json(sample.pod(77)) + "}\n";
  for (auto _ : run) {
    live::WatchStream stream;
    const auto fed = stream.feed(line, [](const live::WatchEvent& event) {
      benchmark::DoNotOptimize(decode_pod(event.object));
      return true;
    });
    if (!fed) run.SkipWithError(fed.error());
  }
  run.SetItemsProcessed(run.iterations());
  run.SetBytesProcessed(run.iterations() * static_cast<std::int64_t>(line.size()));
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
  for (const bool affinity : {false, true}) {
    const std::string pod = affinity ? "event/pod_with_affinity/" : "event/pod/";
    const auto add = [&](const char* name, Event event) {
      benchmark::RegisterBenchmark(pod + name,
                                   [=](benchmark::State& run) { apply_pods(run, affinity, event); });
    };
    add("comes_or_goes", Event::kComesOrGoes);
    add("changes", Event::kChanges);
  }
  const auto add_node = [](const char* name, NodeChange what) {
    benchmark::RegisterBenchmark(name, [=](benchmark::State& run) { apply_nodes(run, what); });
  };
  add_node("event/node/heartbeat", NodeChange::kNone);
  add_node("event/node/cordon", NodeChange::kCordon);
  add_node("event/node/label", NodeChange::kLabel);
  add_node("event/node/amount", NodeChange::kAmount);
  add_node("event/node/image", NodeChange::kImage);
  benchmark::RegisterBenchmark("event/decode_pod", decode_pod_event);
  benchmark::RegisterBenchmark("selector/first_use", count_new_selector);
  benchmark::RegisterBenchmark("selector/kept", count_kept_selector);
  benchmark::RegisterBenchmark("selector/keep", keep_selector)->Iterations(2000);
}

}  // namespace winnow::bench
