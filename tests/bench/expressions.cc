// The rules in manifests/rules: what each alone costs for all nodes on one thread.
//
//   winnow_expressions_bench [NODES=5000] [PODS=150000] [ROUNDS=101]
//     "RULE ALL_US FIRST_US NEXT_US" for each file, medians of the processor time: the rule asked about all
//     nodes, where nothing is kept; the first question about a pod of its kind, where what depends on the
//     nodes alone is kept; and the next question about such a pod. Between two rounds one node gets a pod and
//     another measurement. Each has a filter's or a score's answers for all nodes, and the choice among them.
//
// Run it in the checkout: it reads the files. Exits 1 if the two choose different nodes.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <format>
#include <string>
#include <vector>

#include "cluster/api/node_metrics.h"
#include "cluster/memory_budget.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "cluster/text/source.h"
#include "extender/config/gates.h"
#include "extender/config/rules.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/what_if/simulate/placer.h"
#include "tests/bench/pairs.h"
#include "tests/bench/sample.h"

namespace winnow::bench {
namespace {

constexpr std::size_t kTenants = 20;

/// The file's rule, and no other.
LoadedRules rule_alone(const std::string& file) {
  LoadedRules loaded = load_rules(file, read_source(file).value(), parse_gates("").value()).value();
  const auto is_other = [](const auto& rule) { return !rule.name.starts_with("Expression/"); };
  for (RuleSet& rules : loaded.sets) {
    std::erase_if(rules.predicates, is_other);
    std::erase_if(rules.priorities, is_other);
  }
  return loaded;
}

std::string tenant_of(std::size_t number) { return "tenant-" + std::to_string(number % kTenants); }

NodeMetrics measured(const Sample& sample, std::size_t node, std::size_t round) {
  const auto share = [&](std::size_t factor) {
    return static_cast<double>((node * factor + round * 13) % 97) / 100.0;
  };
  NodeMetrics made;
  made.metadata.name = sample.node_name(node);
  made.usage = NodeUsage{.cpu = 16 * share(7), .memory = 64e9 * share(11), .taken = 1, .window = 1};
  made.metrics = {{"cpu_mean", share(7)},
                  {"cpu_deviation", share(3) / 4},
                  {"memory_mean", share(11)},
                  {"memory_deviation", share(5) / 8}};
  return made;
}

/// The sample, with what the rules read.
void load_all(const Sample& sample, State& state) {
  sample.load(state);
  for (std::size_t i = 0; i < sample.nodes(); ++i) {
    Node node = sample.node(i);
    node.metadata.labels["kubernetes.io/hostname"] = node.metadata.name;
    std::string labels = R"("kubernetes.io/hostname":")" + node.metadata.name + '"';
    if (i % 3 == 0) {
      node.metadata.labels["tenant"] = tenant_of(i);
      labels += R"(,"tenant":")" + tenant_of(i) + '"';
    }
    node.fields = std::format(
        R"({{"metadata":{{"annotations":{{"example.com/cents-per-hour":"{}.5"}},"labels":{{{}}}}},)"
        R"("status":{{"capacity":{{"cpu":"16"}}}}}})",
        i % 40, labels);
    state.set_node(std::move(node));
    state.set_node_metrics(measured(sample, i, 0));
  }
}

/// The next pod of a workload: one container of an image that some nodes have.
/// @param kind  a label that makes it the first of its kind; "": none.
Pod next_pod(const Sample& sample, std::size_t number, const std::string& kind = {}) {
  Pod pod = asked_pod(sample, Asked::kBigService);
  if (!kind.empty()) pod.metadata.labels["kind"] = kind;
  pod.metadata.name += "-" + std::to_string(number);
  pod.metadata.uid = pod.metadata.name;
  pod.metadata.labels["tenant"] = tenant_of(3);
  const std::string image = sample.node(0).status.images.front().names.front();
  pod.spec.containers.front().image = image;
  pod.fields = std::format(
      R"({{"metadata":{{"labels":{{"app":"{}","tenant":"{}"}},"namespace":"{}"}},"spec":{{"containers":[)"
      R"({{"name":"c","image":"{}","resources":{{"requests":{{"cpu":"100m"}}}}}}]}}}})",
      pod.metadata.labels["app"], tenant_of(3), pod.metadata.namespace_, image);
  return pod;
}

/// @return false: the two have chosen different nodes.
bool run_rule(const Sample& sample, const std::string& file, std::size_t rounds) {
  const LoadedRules loaded = rule_alone(file);
  State state(state_options(loaded));
  load_all(sample, state);
  Workers workers(0);
  const Engines plain(loaded.sets, workers, {.enabled = false});
  const Engines reusing(loaded.sets, workers);
  const std::vector<NodeId> nodes = nodes_by_name(View(state));
  const std::string rule = std::filesystem::path(file).stem();
  std::vector<double> every, first, next;
  for (std::size_t round = 0; round < rounds + 2; ++round) {
    const Pod pod = next_pod(sample, round), other = next_pod(sample, round, std::to_string(round));
    Choice by_all, by_numbers, by_kept;
    {
      const View view(state);
      const double all = cost([&] { by_all = choose(plain, view, pod, nodes, {}); });
      const double numbers = cost([&] { by_numbers = choose(reusing, view, other, nodes, {}); });
      const double kept = cost([&] { by_kept = choose(reusing, view, pod, nodes, {}); });
      if (round >= 2) {
        every.push_back(all / 1000);
        first.push_back(numbers / 1000);
        next.push_back(kept / 1000);
      }
    }
    if (by_all.node != by_kept.node || by_all.best.totals != by_kept.best.totals ||
        by_all.node != by_numbers.node || by_all.best.totals != by_numbers.best.totals) {
      std::fprintf(stderr, "%s: round %zu: the choices differ\n", rule.c_str(), round);
      return false;
    }
    if (state.groups.has_wanted()) state.groups.keep_wanted();
    const std::size_t changed = round * 31 % sample.nodes();
    state.set_node_metrics(measured(sample, changed, round + 1));
    Pod placed = pod;
    placed.spec.node_name = sample.node_name(changed);
    state.set_pod(std::move(placed));
  }
  std::printf("%-24s %9.0f %9.0f %9.0f\n", rule.c_str(), median(every), median(first), median(next));
  std::fflush(stdout);
  return true;
}

int run(Sample::Size size, std::size_t rounds) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator("manifests/rules")) {
    const std::string name = entry.path().filename();
    if (entry.path().extension() == ".yaml" && name != "sample-load.yaml" && !name.ends_with("-queries.yaml"))
      files.push_back(entry.path());
  }
  std::ranges::sort(files);
  const Sample sample(size);
  std::printf("%-24s %9s %9s %9s\n", "rule", "all us", "first us", "next us");
  return std::ranges::all_of(files, [&](const std::string& file) { return run_rule(sample, file, rounds); })
             ? 0
             : 1;
}

}  // namespace
}  // namespace winnow::bench

int main(int argc, char** argv) {
  const auto number = [&](int i, std::size_t otherwise) {
    return argc > i ? static_cast<std::size_t>(std::atoll(argv[i])) : otherwise;
  };
  winnow::limit_heaps();  // As the service does.
  if (!std::filesystem::is_directory("manifests/rules")) {
    std::fprintf(
        stderr,
        "winnow_expressions_bench: no folder manifests/rules here; expected to run in the checkout\n");
    return 2;
  }
  return winnow::bench::run({number(1, 5000), number(2, 150'000)}, number(3, 101));
}
