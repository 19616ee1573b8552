// winnow simulate: reads the cluster, lets extender/what_if/simulate work on it, and prints what it found.
#include <algorithm>
#include <format>
#include <iostream>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/files/cluster_file.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/commands.h"
#include "extender/cli/explain_rules.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
#include "extender/cli/named_pods.h"
#include "extender/cli/scaled_workloads.h"
#include "extender/cli/simulate_inputs.h"
#include "extender/cli/terminal.h"
#include "extender/config/extenders.h"
#include "extender/engine/engines.h"
#include "extender/engine/workers.h"
#include "extender/what_if/simulate/scenarios.h"
#include "extender/what_if/simulate/simulation.h"
#include "extender/what_if/simulate/simulation_report.h"

namespace winnow {
namespace {

/// A round of pods that a cluster never fills would not end.
constexpr std::size_t kMostRepeated = 1'000'000;

int wrong_input(const std::string& line) {
  stderr_line("winnow simulate: " + line);
  return kBadInput;
}

/// Reads the pods of --pods into the simulation. @return their batches, or an error of one line.
std::expected<BatchRange, std::string> add_files(Simulation& simulation, const SimulateFlags& flags) {
  const ExpandOptions options{.replicas = flags.replicas, .new_nodes = simulation.new_nodes()};
  auto objects = new_pods_of(flags.pod_files, options, simulation.state());
  if (!objects)
    return std::unexpected(std::move(objects).error() + workload_hint(simulation.state(), flags.pod_files));
  const std::vector<KnownWorkload> workloads = workloads_of(simulation.state());
  const bool makes_pods =
      std::ranges::any_of(objects->sets, [](const PodSet& set) { return set.size() > 0; });
  if (flags.until_full && !makes_pods && flags.scale.empty())
    return std::unexpected("--until-full: there is nothing to repeat: " +
                           why_no_pods(workloads, objects->sets));
  simulation.result().known_before = known_before(workloads, objects->sets);
  for (const PodSet& set : objects->sets)
    if (set.size() == 0 &&
        !std::ranges::contains(simulation.result().known_before, set.source(), &KnownBefore::workload))
      simulation.result().without_pods.push_back(set.source());
  load(simulation.state(), objects->added);
  simulation.result().unjudged.objects = std::move(objects->left_out);
  simulation.objects_changed();
  return simulation.add_batches(std::move(objects->sets));
}

bool makes_pods(const SimulationResult& result, BatchRange batches) {
  for (std::uint32_t batch = batches.begin; batch < batches.end; ++batch)
    if (result.batches[batch].size() > 0) return true;
  return false;
}

/// The error for a workload of --scale that --pods has, too: both would make the same pods. "": there is
/// none.
std::string named_twice(const SimulationResult& result, const Scaling& scaling) {
  for (const KnownBefore& one : scaling.told)
    if (std::ranges::contains(result.known_before, one.workload, &KnownBefore::workload))
      return std::format("--scale and --pods both have {}: leave one of them out", one.workload);
  return "";
}

/// Adds the pods of --scale behind those of files.
void add_scaled(Simulation& simulation, Scaling scaling, std::optional<BatchRange>& added) {
  const BatchRange range = simulation.add_batches(std::move(scaling.sets));
  added = {added ? added->begin : range.begin, range.end};
  std::ranges::move(scaling.told, std::back_inserter(simulation.result().known_before));
}

/// Adds pods that are pending: all, some, or those of workloads that are scaled.
std::string add_pending(Simulation& simulation, const CommonFlags& common, const SimulateFlags& flags,
                        PodNames only, bool has_others) {
  const State& state = simulation.state();
  const bool all = flags.pending ? flags.pending_pods.empty() : !has_others;
  if (all) {
    if (state.pending_count() == 0) stderr_line("winnow simulate: no pod of the cluster is pending");
    simulation.add_pending();
    return "";
  }
  for (const std::string& name : flags.pending_pods) {
    const auto id = known_pod(state, common, name);
    if (!id) return "--pending: " + id.error();
    const PodRecord& pod = state.pod(*id);
    if (pod.assigned)
      return std::format("--pending: pod \"{}/{}\" is on a node already", state.pod_namespace(pod), pod.name);
    only.emplace(state.pod_namespace(pod), pod.name);
  }
  simulation.add_pending(&only);
  return "";
}

/// Places what the flags ask for. @return an error of one line; "": none.
std::string place_all(Simulation& simulation, const CommonFlags& common, const SimulateFlags& flags,
                      Scaling scaling) {
  std::optional<BatchRange> files;
  if (!flags.pod_files.empty()) {
    const auto added = add_files(simulation, flags);
    if (!added) return added.error();
    files = *added;
  }
  PodNames waiting = std::move(scaling.waiting);
  if (!flags.scale.empty()) {
    if (std::string both = named_twice(simulation.result(), scaling); !both.empty()) return both;
    add_scaled(simulation, std::move(scaling), files);
    if (flags.until_full && !makes_pods(simulation.result(), *files))
      return "--until-full: there is nothing to repeat: neither --scale nor --pods makes a pod";
  }
  std::vector<Node> grows_by;
  if (!flags.add_nodes_until_fits.empty()) {
    auto nodes = read_templates("--add-nodes-until-fits", flags.add_nodes_until_fits);
    if (!nodes) return nodes.error();
    grows_by = std::move(*nodes);
  }
  const bool has_others =
      files || !flags.drain.empty() || !flags.remove_nodes.empty() || !flags.fail_nodes.empty();
  if (std::string error = add_pending(simulation, common, flags, std::move(waiting), has_others);
      !error.empty())
    return error;
  if (files && !flags.until_full) simulation.wait_for(*files);
  simulation.run();
  drain(simulation, flags.drain);
  if (flags.until_full) place_until_full(simulation, *files, kMostRepeated);
  if (!grows_by.empty())
    add_nodes_until_all_fit(simulation, grows_by, flags.most.value_or(SimulateFlags::kMostNodes));
  return "";
}

void print(const SimulationResult& result, const SimulateFlags& flags) {
  if (flags.json) {
    write_json(result, [](std::string_view piece) { std::cout << piece; });
    return;
  }
  ReportOptions options;
  options.table = table_options(flags.width, flags.all_nodes);
  options.unicode = takes_utf8();
  options.all_pods = flags.all_pods;
  std::string out;
  append_report(out, result, options);
  std::cout << out;
}

int exit_code(const SimulationResult& result) {
  if (result.cut_short) return kInterrupted;
  if (result.until_full && result.until_full->rounds == 0) return kAnswerIsNo;
  const std::size_t left = result.count(PodEnd::kNowhere) + result.count(PodEnd::kBlocked) +
                           result.count(PodEnd::kStuck) + result.new_nodes.pending();
  return left > 0 ? kAnswerIsNo : kDone;
}

/// The whole simulation, on a state that nobody else reads meanwhile.
int simulate_in(State& state, const LoadedRules& rules, const CommonFlags& common, SimulateFlags flags) {
  const bool adds_nodes = !flags.add_nodes.empty() || !flags.add_nodes_until_fits.empty();
  if (const std::string none = lacks_nodes(common, state); !none.empty() && !adds_nodes)
    return wrong_input(none);
  if (const std::string wrong = resolve_nodes(flags, state); !wrong.empty()) return wrong_input(wrong);
  auto changes = changes_of(common, flags, state);
  if (!changes) return wrong_input(changes.error());
  auto scaling = scaling_of(common, flags.scale, state);
  if (!scaling) return wrong_input(scaling.error());
  changes->delete_pods.insert(changes->delete_pods.end(), scaling->gone.begin(), scaling->gone.end());
  Workers workers(0);
  const Engines engines(rules.sets, workers);
  SimulateProgress progress;
  Simulation simulation(state, engines, {.seed = common.seed, .preemption = flags.preemption}, *changes,
                        [&](std::size_t done, std::size_t all) { return progress.tell(done, all); });
  const std::string error = place_all(simulation, common, flags, *std::move(scaling));
  progress.end();
  if (!error.empty()) return wrong_input(error);
  const SimulationResult result = simulation.finish();
  print(result, flags);
  std::cout.flush();
  if (!std::cout) return wrong_input("standard output cannot be written");
  return exit_code(result);
}

}  // namespace

int simulate(const CommonFlags& common, const SimulateFlags& flags) {
  if (const std::string wrong = wrong_simulate_flags(flags); !wrong.empty()) return wrong_input(wrong);
  const std::expected<LoadedRules, std::string> rules = rules_from(common);
  if (!rules) return wrong_input(rules.error());
  stderr_lines("note: ", rules->notes);
  stderr_lines("warning: ", rules->warnings);
  const auto cache = snapshot_from(common, *rules, simulation_needs(!flags.pod_files.empty()));
  if (!cache) return wrong_input(cache.error());
  if (common.cluster.empty()) stderr_line("winnow simulate: rules: " + describe_rules(common.config, *rules));
  // The watch of a live cluster waits for this write, and the process ends before it goes on.
  int code = kBadInput;
  (*cache)->write([&](State& state) { code = simulate_in(state, *rules, common, flags); });
  return code;
}

}  // namespace winnow
