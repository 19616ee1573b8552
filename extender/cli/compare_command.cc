// winnow compare: reads the cluster and two configurations, lets extender/what_if/compare work on them, and
// prints what it found.
#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "cluster/api/meta.h"
#include "cluster/files/cluster_file.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/commands.h"
#include "extender/cli/explain_rules.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/named_pods.h"
#include "extender/cli/simulate_inputs.h"
#include "extender/cli/terminal.h"
#include "extender/config/extenders.h"
#include "extender/config/rules.h"
#include "extender/config/rules_difference.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/what_if/compare/comparison.h"
#include "extender/what_if/compare/comparison_report.h"
#include "extender/what_if/simulate/simulation_report.h"

namespace winnow {
namespace {

int wrong_comparison(const std::string& line) {
  stderr_line("winnow compare: " + line);
  return kBadInput;
}

/// The rules of both sides; of A alone where there is no --with.
struct BothRules {
  std::vector<LoadedRules> rules;
  std::vector<std::string> words;  ///< See describe_rules().
};

std::expected<BothRules, std::string> both_rules(const CommonFlags& common, const CompareFlags& flags) {
  BothRules both;
  CommonFlags with = common;
  with.config = flags.with;
  if (flags.with_gates) with.feature_gates = *flags.with_gates;
  for (const CommonFlags* const one : {&common, &std::as_const(with)}) {
    const bool is_b = one == &with;
    if (is_b && flags.with.empty()) break;
    auto rules = rules_from(*one);
    if (!rules) {
      std::string error = std::move(rules).error();
      constexpr std::string_view kGates = "--feature-gates: ";
      if (const std::size_t at = error.find(kGates); is_b && at != std::string::npos) {
        if (flags.with_gates)
          error.replace(at, kGates.size(), "--with-feature-gates: ");
        else
          error += "; those of --with " + flags.with + " are given with --with-feature-gates";
      }
      return std::unexpected(std::move(error));
    }
    stderr_lines(is_b ? "note: B: " : "note: A: ", rules->notes);
    stderr_lines(is_b ? "warning: B: " : "warning: A: ", rules->warnings);
    both.words.push_back(describe_rules(one->config, *rules));
    both.rules.push_back(std::move(*rules));
  }
  return both;
}

/// Whether two caches of a live cluster show the same moment: the same nodes, and the same pods in the same
/// versions.
bool agree(const State& a, const State& b) {
  if (a.node_count() != b.node_count() || a.pod_count() != b.pod_count() ||
      a.pending_count() != b.pending_count())
    return false;
  for (PodId id = 0; id < a.pod_capacity(); ++id) {
    if (a.pod(id).name.empty()) continue;
    const ObjectMeta meta = a.metadata_of(id);
    const PodId other = b.find_pod(meta.namespace_, meta.name);
    if (other == kNone || b.metadata_of(other).resource_version != meta.resource_version) return false;
  }
  const std::vector<std::string>& names = a.nodes().name;
  return std::ranges::all_of(
      names, [&](const std::string& name) { return name.empty() || b.find_node(name) != kNone; });
}

/// The cluster once for each way in which the rules read it: one cache where both read it alike.
using Caches = std::vector<std::shared_ptr<ClusterCache>>;

std::expected<Caches, std::string> caches_of(const CommonFlags& common, const BothRules& both,
                                             bool new_pods) {
  std::vector<State::Options> options;
  WatchedKinds needs = simulation_needs(new_pods);
  for (const LoadedRules& rules : both.rules) {
    needs |= needed(rules.sets);
    if (!std::ranges::contains(options, state_options(rules))) options.push_back(state_options(rules));
  }
  Caches caches;
  if (!common.cluster.empty()) {
    auto read = caches_from(common, options);
    if (!read) return std::unexpected(std::move(read).error());
    for (std::unique_ptr<ClusterCache>& cache : *read) caches.push_back(std::move(cache));
    return caches;
  }
  if (!names_live_cluster(common)) return std::unexpected(no_cluster_error());
  for (const State::Options& one : options) {
    const auto reads_so = [&](const LoadedRules& rules) { return state_options(rules) == one; };
    auto cache = live_snapshot(common, *std::ranges::find_if(both.rules, reads_so), needs);
    if (!cache) return std::unexpected(std::move(cache).error());
    caches.push_back(std::move(*cache));
  }
  return caches;
}

/// Whether the pod is among those that are placed.
bool is_placed_here(const State& state, const ToPlace& pods, const std::string& name) {
  if (pods.pending)
    for (const PodId id : state.pending_pods())
      if (key_of(state.metadata_of(id)) == name) return true;
  for (const PodSet& set : pods.sets)
    for (std::size_t i = 0; i < set.size(); ++i)
      if (key_of(set.pod(i).metadata) == name) return true;
  return false;
}

/// The name in full. @return it, or an error of one line with names that are near.
std::expected<std::string, std::string> wanted_pod(const State& state, const ToPlace& pods,
                                                   const CommonFlags& common, const CompareFlags& flags) {
  if (flags.pod.empty()) return "";
  const auto pod = named_pod(common, flags.pod);
  if (!pod) return std::unexpected("--pod: " + pod.error());
  const std::string name = pod->full();
  if (flags.placed) {
    const auto id = known_pod(state, *pod);
    if (!id) return std::unexpected("--pod: " + id.error());
    if (!state.pod(*id).assigned) return std::unexpected("--pod: pod \"" + name + "\" is on no node");
    if (goes_with_node(state.metadata_of(*id)))
      return std::unexpected("--pod: pod \"" + name + "\" is of a DaemonSet or of a kubelet: it stays");
    return name;
  }
  if (is_placed_here(state, pods, name)) return name;
  std::vector<std::string> names;
  constexpr std::size_t kMostNames = 10'000;
  if (pods.pending)
    for (const PodId id : state.pending_pods()) names.push_back(key_of(state.metadata_of(id)));
  for (const PodSet& set : pods.sets)
    for (std::size_t i = 0; i < set.size() && names.size() < kMostNames; ++i)
      names.push_back(key_of(set.pod(i).metadata));
  return std::unexpected("--pod: pod \"" + name + "\" is not among the pods that are placed" +
                         near_pods(*pod, names));
}

/// The pods to place, with what comes with them put into the states.
std::expected<ToPlace, std::string> pods_to_place(std::span<State* const> states, const CompareFlags& flags) {
  ToPlace pods{.pending = flags.pending || flags.pod_files.empty(), .sets = {}};
  if (!flags.pod_files.empty()) {
    auto objects = new_pods_of(flags.pod_files, {.replicas = flags.replicas}, *states.front());
    if (!objects) return std::unexpected(std::move(objects).error());
    for (State* const state : states) load(*state, objects->added);
    pods.sets = std::move(objects->sets);
    pods.left_out = std::move(objects->left_out);
  }
  if (pods.pending && !flags.placed && states.front()->pending_count() == 0)
    stderr_line("winnow compare: no pod of the cluster is pending");
  return pods;
}

void print(const Comparison& result, const CompareFlags& flags) {
  if (flags.json) {
    write_json(result, [](std::string_view piece) { std::cout << piece; });
    return;
  }
  const ReportOptions options{.table = table_options(flags.width, flags.all_nodes),
                              .unicode = takes_utf8(),
                              .all_pods = flags.all_pods};
  std::string out;
  if (!flags.pod.empty() && result.detail)
    append_detail(out, result, options);
  else
    append_comparison(out, result, options);
  std::cout << out;
}

/// The whole comparison, on states that nobody else reads meanwhile.
int compare_in(std::span<State* const> states, const BothRules& both, const CommonFlags& common,
               const CompareFlags& flags) {
  if (const std::string none = lacks_nodes(common, *states.front()); !none.empty())
    return wrong_comparison(none);
  const auto pods = pods_to_place(states, flags);
  if (!pods) return wrong_comparison(pods.error());
  const auto pod = wanted_pod(*states.front(), *pods, common, flags);
  if (!pod) return wrong_comparison(pod.error());
  Workers workers(0);
  const Engines engines_a(both.rules.front().sets, workers), engines_b(both.rules.back().sets, workers);
  const Side a{*states.front(), engines_a}, b{*states.back(), engines_b};
  const bool has_b = both.rules.size() > 1;
  SimulateProgress progress;
  const Progress tell = [&](std::size_t done, std::size_t all) { return progress.tell(done, all); };
  const CompareOptions options{.seed = common.seed, .pod = *pod};
  Comparison result = flags.placed ? compare_placed(a, has_b ? &b : nullptr, options, tell)
                                   : compare_placing(a, b, *pods, options, tell);
  progress.end();
  result.config[has_b ? kA : kB] = both.words.front();
  if (has_b) result.config[kB] = both.words.back();
  if (has_b) result.differences = differences_of(both.rules.front().sets, both.rules.back().sets);
  print(result, flags);
  std::cout.flush();
  if (!std::cout) return wrong_comparison("standard output cannot be written");
  if (result.cut_short) return kInterrupted;
  if (!flags.pod.empty() && result.detail) return result.detail->turn ? kAnswerIsNo : kDone;
  return result.count_differing() > 0 ? kAnswerIsNo : kDone;
}

/// Holds the caches, and compares in them. Two caches of a live cluster follow it by themselves: they
/// are held at a moment at which both show the same.
int compare_in(const Caches& caches, const BothRules& both, const CommonFlags& common,
               const CompareFlags& flags) {
  constexpr std::chrono::seconds kPatience{10};
  constexpr std::chrono::milliseconds kBetweenLooks{20};
  const auto until = std::chrono::steady_clock::now() + kPatience;
  // The watch of a live cluster waits for this write, and the process ends before it goes on.
  std::optional<int> code;
  while (!code) {
    caches.front()->write([&](State& first) {
      if (caches.size() == 1) {
        State* const states[] = {&first};
        code = compare_in(states, both, common, flags);
        return;
      }
      caches.back()->write([&](State& second) {
        State* const states[] = {&first, &second};
        if (agree(first, second)) code = compare_in(states, both, common, flags);
      });
    });
    if (code) break;
    if (std::chrono::steady_clock::now() > until)
      return wrong_comparison(
          "the cluster changes faster than it is read for both configurations: save it with kubectl get, and "
          "give it with --cluster");
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return *code;
}

}  // namespace

int compare(const CommonFlags& common, const CompareFlags& flags) {
  if (const std::string wrong = wrong_compare_flags(flags); !wrong.empty()) return wrong_comparison(wrong);
  const auto both = both_rules(common, flags);
  if (!both) return wrong_comparison(both.error());
  const auto caches = caches_of(common, *both, !flags.pod_files.empty());
  if (!caches) return wrong_comparison(caches.error());
  return compare_in(*caches, *both, common, flags);
}

}  // namespace winnow
