// winnow simulate: reads the cluster, lets extender/what_if/simulate work on it, and prints what it found.
#include <exception>
#include <format>
#include <iostream>

#include "cluster/files/cluster_file.h"
#include "extender/cli/cluster_source.h"
#include "extender/cli/commands.h"
#include "extender/cli/explain_rules.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/cli/flags/flags.h"
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
  if (!objects) return std::unexpected(std::move(objects).error());
  load(simulation.state(), objects->added);
  simulation.objects_changed();
  return simulation.add_batches(std::move(objects->sets));
}

/// Places what the flags ask for. @return an error of one line; "": none.
std::string place_all(Simulation& simulation, const SimulateFlags& flags) {
  std::optional<BatchRange> files;
  if (!flags.pod_files.empty()) {
    const auto added = add_files(simulation, flags);
    if (!added) return added.error();
    files = *added;
  }
  std::optional<Node> grows_by;
  if (!flags.add_nodes_until_fits.empty()) {
    auto node = read_template("--add-nodes-until-fits", flags.add_nodes_until_fits);
    if (!node) return node.error();
    grows_by = std::move(*node);
  }
  const bool has_others = files || !flags.drain.empty() || !flags.remove_nodes.empty();
  if (flags.pending || !has_others) {
    if (simulation.state().pending_count() == 0)
      stderr_line("winnow simulate: no pod of the cluster is pending");
    simulation.add_pending();
  }
  if (files && !flags.until_full) simulation.wait_for(*files);
  simulation.run();
  drain(simulation, flags.drain);
  if (flags.until_full) place_until_full(simulation, *files, kMostRepeated);
  if (grows_by)
    add_nodes_until_all_fit(simulation, *grows_by, flags.most.value_or(SimulateFlags::kMostNodes));
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
  const std::size_t left =
      result.count(PodEnd::kNowhere) + result.count(PodEnd::kBlocked) + result.new_nodes.pending();
  return left > 0 ? kAnswerIsNo : kDone;
}

/// The whole simulation, on a state that nobody else reads meanwhile.
int simulate_in(State& state, const LoadedRules& rules, const CommonFlags& common,
                const SimulateFlags& flags) {
  auto changes = changes_of(flags, state);
  if (!changes) return wrong_input(changes.error());
  Workers workers(0);
  const Engines engines(rules.sets, workers);
  SimulateProgress progress;
  Simulation simulation(state, engines, {.seed = common.seed, .preemption = flags.preemption}, *changes,
                        [&](std::size_t done, std::size_t all) { return progress.tell(done, all); });
  const std::string error = place_all(simulation, flags);
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
