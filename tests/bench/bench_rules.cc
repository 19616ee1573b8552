// Each rule by itself over all nodes: bind, map and reduce.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cluster/rule/reasons.h"
#include "cluster/state/view.h"
#include "predicates/records.h"
#include "priorities/records.h"
#include "tests/bench/bench.h"
#include "tests/bench/questions.h"

namespace winnow::bench {
namespace {

constexpr std::size_t kNodes = 5000;

template <class Work>
void add_case(const std::string& name, Work work) {
  benchmark::RegisterBenchmark(name, work)->Unit(benchmark::kMicrosecond);
}

template <class Bind>
Question question_of(const Case<Bind>& one) {
  TestService& service = one.is_plugin ? todays_service_of(kNodes) : service_of(kNodes);
  return {one.rule, service.sample(), service.cache(), one.kind};
}

template <class Bind>
std::string name_of(const Case<Bind>& one, const char* pass) {
  const std::string name = std::string(pass) + std::string(one.rule);
  return one.is_plugin ? name + "/today/" + to_string(one.kind) : name;
}

void add_predicate(const Case<BindPredicate>& one) {
  add_case(name_of(one, "bind/"), [one](benchmark::State& run) {
    const Question question = question_of(one);
    for (auto _ : run) benchmark::DoNotOptimize(one.bind(question.request(), {}));
  });
  add_case(name_of(one, "map/"), [one](benchmark::State& run) {
    const Question question = question_of(one);
    const auto rule = one.bind(question.request(), {});
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
void score(benchmark::State& run, const Case<BindPriority>& one, bool reduce) {
  const Question question = question_of(one);
  const auto rule = one.bind(question.request(), {});
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

void add_priority(const Case<BindPriority>& one) {
  add_case(name_of(one, "bind/"), [one](benchmark::State& run) {
    const Question question = question_of(one);
    for (auto _ : run) benchmark::DoNotOptimize(one.bind(question.request(), {}));
  });
  add_case(name_of(one, "map/"), [one](benchmark::State& run) { score(run, one, false); });
  add_case(name_of(one, "reduce/"), [one](benchmark::State& run) { score(run, one, true); });
}

}  // namespace

void add_rule_cases() {
  for (const auto& one : predicate_cases()) add_predicate(one);
  for (const auto& one : priority_cases()) add_priority(one);
}

}  // namespace winnow::bench
