#include "extender/cli/flags/simulate_flags.h"

#include <limits>
#include <string_view>

#include "extender/cli/flags/common_flags.h"
#include "extender/cli/flags/flag_kinds.h"

namespace winnow {
namespace {

constexpr std::uint64_t kMostNumber = std::numeric_limits<std::int32_t>::max();

void add_names(CLI::App* app, const std::string& name, std::vector<std::string>& value, const char* help,
               const char* type = "A,B") {
  app->add_option(name, value, help)->type_name(type)->delimiter(',');
}

/// What is placed.
void add_pods(CLI::App* app, SimulateFlags& flags) {
  app->add_option("--pods", flags.pod_files, "Place the pods of these files: Pods, Deployments, ...")
      ->type_name("FILE")
      ->expected(1, -1);
  app->add_option("--replicas", flags.replicas, "Replicas of each of their workloads [as written]")
      ->type_name("N")
      ->check(whole_number(kMostNumber));
  app->add_flag("--pending", flags.pending, "Place the cluster's pending pods too [if nothing else is]");
  add_names(app, "--drain", flags.drain, "Drain these nodes, and place their pods anew");
  app->add_flag("--until-full", flags.until_full, "Repeat the pods of --pods until one does not fit");
  app->add_flag("--preemption", flags.preemption, "Let pods evict others of lower priority");
}

/// What is changed before.
void add_changes(CLI::App* app, SimulateFlags& flags) {
  add_names(app, "--remove-nodes", flags.remove_nodes, "Take these nodes away first, and place their pods");
  add_names(app, "--cordon", flags.cordon, "Cordon these nodes first");
  app->add_option("--add-nodes", flags.add_nodes, "Add the Nodes of a file first")->type_name("FILE");
  app->add_option("--count", flags.count, "How many of each [1]")
      ->type_name("N")
      ->check(whole_number(100'000));
  app->add_option("--add-nodes-until-fits", flags.add_nodes_until_fits,
                  "Add the Node of a file until all pods fit")
      ->type_name("FILE");
  app->add_option("--most", flags.most, with_default("How often at most", SimulateFlags::kMostNodes))
      ->type_name("N")
      ->check(whole_number(100'000));
  add_names(app, "--delete-pods", flags.delete_pods, "Delete these pods first: NAMESPACE/NAME", "PODS");
  add_names(app, "--set-label", flags.set_labels, "Label a node first: NODE:KEY=VALUE; KEY- removes",
            "LABELS");
}

void add_output(CLI::App* app, SimulateFlags& flags) {
  app->add_option("-o,--output", "table or json: one object [table]")
      ->type_name("table|json")
      ->check(CLI::IsMember({"table", "json"}).description(""))
      ->each([&flags](const std::string& word) { flags.json = word == "json"; });
  app->add_flag("--all-pods", flags.all_pods, "A line of the table for each pod");
  app->add_flag("--all-nodes", flags.all_nodes, "Show every node in the table");
  app->add_option("--width", flags.width, "Columns of the table; 0 is no limit [the terminal's, or 80]")
      ->type_name("N")
      ->check(CLI::Range(0, 100000).description(""));
}

}  // namespace

void add_simulate(CLI::App& app, SimulateFlags& flags, CommonFlags& common) {
  CLI::App* simulate = app.add_subcommand("simulate", "Say where pods would go, if; nothing is written");
  add_common(simulate, common, "Draw among equal nodes as serve with this seed [first by name]");
  add_pods(simulate, flags);
  add_changes(simulate, flags);
  add_output(simulate, flags);
  simulate->footer(
      "Exit code: 0 all fit, 1 one does not, 2 bad input, 130 stopped by Ctrl-C.\n"
      "Example: winnow simulate --cluster cluster.json --drain node-1");
}

std::string wrong_simulate_flags(const SimulateFlags& flags) {
  struct Row {
    bool wrong;
    std::string_view error;
  };
  const bool grows = !flags.add_nodes_until_fits.empty();
  const Row rows[] = {
      {flags.replicas && flags.pod_files.empty(), "--replicas needs --pods"},
      {flags.until_full && flags.pod_files.empty(), "--until-full needs --pods"},
      {flags.until_full && grows, "--until-full and --add-nodes-until-fits contradict each other"},
      {flags.until_full && flags.preemption, "--until-full and --preemption contradict each other"},
      {flags.count && flags.add_nodes.empty(), "--count needs --add-nodes"},
      {flags.most && !grows, "--most needs --add-nodes-until-fits"},
      {flags.json && flags.all_pods, "--all-pods is of the table: json has all pods"},
      {flags.json && flags.all_nodes, "--all-nodes is of the table: json has all nodes"},
  };
  for (const Row& row : rows)
    if (row.wrong) return std::string(row.error);
  for (const auto& [others, flag] :
       {std::pair(&flags.remove_nodes, "--remove-nodes"), std::pair(&flags.cordon, "--cordon")})
    for (const std::string& node : flags.drain)
      if (std::ranges::contains(*others, node))
        return std::string(flag) + " and --drain both name node \"" + node + "\"";
  return "";
}

}  // namespace winnow
