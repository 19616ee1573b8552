// Each rule by itself over all nodes: bind, map and reduce.
#include <benchmark/benchmark.h>

#include <map>

#include "cluster/rule/reasons.h"
#include "predicates/records.h"
#include "priorities/records.h"
#include "tests/bench/bench.h"

namespace winnow::bench {
namespace {

constexpr std::size_t kNodes = 5000;

/// A pod about which the rule has something to say.
Asked pod_for(std::string_view rule) {
  if (rule == "MatchNodeSelector" || rule.starts_with("NodeAffinity")) return Asked::kAffinity;
  if (rule == "SelectorSpreadPriority") return Asked::kBigService;
  if (rule.starts_with("ImageLocality")) return Asked::kImages;
  return Asked::kPlain;
}

/// What rules are asked: outlives them.
struct Question {
  explicit Question(std::string_view rule, TestService& service, Asked kind)
      : pod(asked_pod(service.sample(), kind)), reader(service.cache().read()) {
    if (rule == "PodFitsHostPorts" || rule == "NodePorts")
      pod.spec.containers[0].ports.push_back({9039, 9039, "TCP", ""});
    if (rule == "HostName" || rule == "NodeName") pod.spec.node_name = view.node_name(7);
  }
  Request request() const { return {pod, view, nodes, Accounting::kToday, true, &lists}; }

  Pod pod;
  ClusterCache::ReadGuard reader;
  View view{*reader};
  std::vector<NodeId> nodes = view.all_nodes();
  mutable ReasonLists lists;
};

template <class Work>
void add_case(const std::string& name, Work work) {
  benchmark::RegisterBenchmark(name, work)->Unit(benchmark::kMicrosecond);
}

/// A rule, and whom it is asked by.
template <class Bind>
struct Case {
  std::string_view rule;
  Bind* bind;
  TestService& (*service)(std::size_t nodes);
  Asked kind;
  const char* note = "";

  std::string name(const char* pass) const { return std::string(pass) + std::string(rule) + note; }
  Question question() const { return Question(rule, service(kNodes), kind); }
};

void add_predicate(const Case<BindPredicate>& one) {
  add_case(one.name("bind/"), [one](benchmark::State& run) {
    const Question question = one.question();
    for (auto _ : run) benchmark::DoNotOptimize(one.bind(question.request(), {}));
  });
  add_case(one.name("map/"), [one](benchmark::State& run) {
    const Question question = one.question();
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
  const Question question = one.question();
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

void add_priority(const Case<BindPriority>& one, bool reduces) {
  add_case(one.name("bind/"), [one](benchmark::State& run) {
    const Question question = one.question();
    for (auto _ : run) benchmark::DoNotOptimize(one.bind(question.request(), {}));
  });
  add_case(one.name("map/"), [one](benchmark::State& run) { score(run, one, false); });
  if (reduces) add_case(one.name("reduce/"), [one](benchmark::State& run) { score(run, one, true); });
}

bool reduces(std::string_view rule) {
  return rule == "NodeAffinityPriority" || rule == "SelectorSpreadPriority" ||
         rule == "TaintTolerationPriority";
}

/// The kinds of pods that a plugin of today's takes different ways for.
std::vector<Asked> kinds_for(std::string_view plugin) {
  if (plugin == "PodTopologySpread") return {Asked::kHardSpread, Asked::kSoftSpread, Asked::kBigService};
  if (plugin == "InterPodAffinity")
    return {Asked::kPlain, Asked::kRequiredAntiAffinity, Asked::kPreferredAntiAffinity,
            Asked::kNamespaceSelector};
  return {pod_for(plugin)};
}

const char* note_of(Asked kind) {
  static std::map<Asked, std::string> notes;
  return notes.try_emplace(kind, std::string("/today/") + to_string(kind)).first->second.c_str();
}

}  // namespace

void add_rule_cases() {
  for (const predicates::Record& row : predicates::classic())
    if (!row.argument) add_predicate({row.name, row.bind, service_of, pod_for(row.name)});
  for (const priorities::Record& row : priorities::classic())
    if (!row.argument) add_priority({row.name, row.bind, service_of, pod_for(row.name)}, reduces(row.name));
  for (const predicates::Record& row : predicates::plugins())
    for (const Asked kind : kinds_for(row.name))
      add_predicate({row.name, row.bind, todays_service_of, kind, note_of(kind)});
  for (const priorities::Record& row : priorities::plugins())
    for (const Asked kind : kinds_for(row.name))
      add_priority({row.name, row.bind, todays_service_of, kind, note_of(kind)}, true);
}

}  // namespace winnow::bench
