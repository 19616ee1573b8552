// A decision by what is kept of earlier ones, beside the same decision in full: all nodes filtered, what fits
// scored, one chosen. Pods of one kind come one after the other, each is placed, and both must choose alike.
//
//   winnow_reuse [NODES=5000] [PODS=150000] [ROUNDS=201] [today|classic] [WORKLOADS=1] [KIND]
//     "KIND PLAIN_NS REUSED_NS RATIO" for each kind, medians of the processor time; with several WORKLOADS
//     the pods of so many Deployments come in turn, with 0 each pod is of its own; with a KIND only that one
//     is asked about
//
// Exits 1 if a choice differs.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "cluster/memory_budget.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/what_if/simulate/placer.h"
#include "tests/bench/pairs.h"
#include "tests/bench/sample.h"

namespace winnow::bench {
namespace {

constexpr const char* kPolicy = R"({"apiVersion":"v1","kind":"Policy"})";

/// The next pod of a workload of this kind.
Pod next_pod(const Sample& sample, Asked kind, std::size_t number, std::size_t workloads) {
  Pod pod = asked_pod(sample, kind);
  pod.metadata.name += "-" + std::to_string(number);
  pod.metadata.uid = pod.metadata.name;
  if (workloads != 1)
    pod.metadata.labels["workload"] = std::to_string(workloads == 0 ? number : number % workloads);
  return pod;
}

struct Times {
  std::vector<double> plain, reused;
};

/// @return false: the two have chosen different nodes.
bool run_kind(const Sample& sample, Asked kind, State& state, const Engines& plain, const Engines& reusing,
              std::size_t rounds, std::size_t workloads) {
  const std::vector<NodeId> nodes = nodes_by_name(View(state));
  const std::size_t warm = std::max<std::size_t>(2 * workloads, 2);
  Times times;
  for (std::size_t round = 0; round < rounds + warm; ++round) {
    const Pod pod = next_pod(sample, kind, round, workloads);
    Choice by_all, by_kept;
    {
      const View view(state);
      const double all = cost([&] { by_all = choose(plain, view, pod, nodes, {}); });
      const double kept = cost([&] { by_kept = choose(reusing, view, pod, nodes, {}); });
      if (round >= warm) {
        times.plain.push_back(all);
        times.reused.push_back(kept);
      }
    }
    if (by_all.node != by_kept.node || by_all.best.totals != by_kept.best.totals) {
      std::fprintf(stderr, "%s: round %zu: the choices differ\n", to_string(kind), round);
      return false;
    }
    if (state.groups.has_wanted()) state.groups.keep_wanted();
    if (by_all.node != kNone) put_on_node(state, by_all.engine->rules(), pod, by_all.node);
  }
  const double all = median(times.plain), kept = median(times.reused);
  std::printf("%-24s %9.0f %9.0f %7.3f\n", to_string(kind), all, kept, kept / all);
  std::fflush(stdout);
  return true;
}

int run(Sample::Size size, std::size_t rounds, bool today, std::size_t workloads, std::string_view only) {
  const Sample sample(size);
  const LoadedRules loaded = load_rules("", today ? kDefaultConfig : kPolicy, {.exact_v116 = !today}).value();
  const RuleSet& rules = loaded.sets.front();
  State state(State::Options{rules.accounting, rules.exact_zones, rules.generation});
  sample.load(state);
  Workers workers(0);
  const Engines plain(loaded.sets, workers, {.enabled = false});
  const Engines reusing(loaded.sets, workers);
  std::printf("%-24s %9s %9s %7s\n", "kind", "plain ns", "reused", "ratio");
  for (const Asked kind : today ? std::span<const Asked>(kAskedToday) : std::span<const Asked>(kAskedClassic))
    if ((only.empty() || only == to_string(kind)) &&
        !run_kind(sample, kind, state, plain, reusing, rounds, workloads))
      return 1;
  const ReuseCounts counts = reusing.reuse_counts();
  std::printf(
      "%zu classes in %zu KiB; %.1f nodes redone an answer\n", counts.classes, counts.bytes / 1024,
      static_cast<double>(counts.redone) / static_cast<double>(std::max<std::uint64_t>(counts.answers, 1)));
  return 0;
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  const auto number = [&](int i, std::size_t otherwise) {
    return argc > i ? static_cast<std::size_t>(std::atoll(argv[i])) : otherwise;
  };
  winnow::limit_heaps();  // As the service does.
  const bool today = argc <= 4 || std::string_view(argv[4]) == "today";
  return winnow::bench::run({number(1, 5000), number(2, 150'000)}, number(3, 201), today, number(5, 1),
                            argc > 6 ? argv[6] : "");
}
