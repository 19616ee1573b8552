// Each rule by itself over all nodes: bind, map and reduce.
#include <benchmark/benchmark.h>

#include "tests/bench/bench.h"

namespace winnow::bench {
namespace {

constexpr std::size_t kNodes = 5000;

/// A pod about which the rule has something to say.
Asked pod_for(std::string_view rule) {
  if (rule == "MatchNodeSelector" || rule == "NodeAffinityPriority") return Asked::kAffinity;
  if (rule == "SelectorSpreadPriority") return Asked::kBigService;
  if (rule == "ImageLocalityPriority") return Asked::kImages;
  return Asked::kPlain;
}

/// What rules are asked: outlives them.
struct Question {
  explicit Question(std::string_view rule)
      : pod(asked_pod(service_of(kNodes).sample(), pod_for(rule))),
        reader(service_of(kNodes).picture().read()) {
    if (rule == "PodFitsHostPorts") pod.spec.containers[0].ports.push_back({9039, 9039, "TCP", ""});
    if (rule == "HostName") pod.spec.node_name = view.node_name(7);
  }
  Request request() const { return {pod, view, nodes}; }

  Pod pod;
  Picture::Reader reader;
  View view{*reader};
  std::vector<NodeId> nodes = view.all_nodes();
};

template <class Work>
void add_case(const std::string& name, Work work) {
  benchmark::RegisterBenchmark(name, work)->Unit(benchmark::kMicrosecond);
}

void add_predicate(const predicates::Row& row) {
  const std::string name(row.name);
  add_case("bind/" + name, [&row](benchmark::State& run) {
    const Question question(row.name);
    for (auto _ : run) benchmark::DoNotOptimize(row.bind(question.request(), {}));
  });
  add_case("map/" + name, [&row](benchmark::State& run) {
    const Question question(row.name);
    const auto rule = row.bind(question.request(), {});
    if (!rule) return run.SkipWithMessage("nothing to say about the pod");
    std::vector<Verdict> verdicts(question.nodes.size());
    for (auto _ : run) {
      rule->map(question.nodes, verdicts);
      benchmark::ClobberMemory();
    }
    run.SetItemsProcessed(run.iterations() * static_cast<std::int64_t>(question.nodes.size()));
  });
}

/// What a priority's map or reduce costs; reduce starts from what map gave, and copying that is counted.
void score(benchmark::State& run, const priorities::Row& row, bool reduce) {
  const Question question(row.name);
  const auto rule = row.bind(question.request(), {});
  if (!rule || !*rule) return run.SkipWithMessage("nothing to say about the pod");
  std::vector<std::int64_t> raw(question.nodes.size(), 0), scores;
  (*rule)->map(question.nodes, raw);
  scores = raw;
  for (auto _ : run) {
    if (reduce) {
      std::ranges::copy(raw, scores.begin());
      (*rule)->reduce(question.nodes, scores);
    } else {
      (*rule)->map(question.nodes, scores);
    }
    benchmark::ClobberMemory();
  }
  run.SetItemsProcessed(run.iterations() * static_cast<std::int64_t>(raw.size()));
}

void add_priority(const priorities::Row& row) {
  const std::string name(row.name);
  add_case("bind/" + name, [&row](benchmark::State& run) {
    const Question question(row.name);
    for (auto _ : run) benchmark::DoNotOptimize(row.bind(question.request(), {}));
  });
  add_case("map/" + name, [&row](benchmark::State& run) { score(run, row, false); });
  if (name == "NodeAffinityPriority" || name == "SelectorSpreadPriority" || name == "TaintTolerationPriority")
    add_case("reduce/" + name, [&row](benchmark::State& run) { score(run, row, true); });
}

}  // namespace

void add_rule_cases() {
  for (const predicates::Row& row : predicates::classic())
    if (row.bind && row.takes == predicates::Takes::kNothing) add_predicate(row);
  for (const priorities::Row& row : priorities::classic())
    if (row.bind && row.takes == priorities::Takes::kNothing) add_priority(row);
}

}  // namespace winnow::bench
