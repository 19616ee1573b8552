#include "extender/cli/flags/groups/simulate_flags.h"

#include <string_view>

#include "extender/cli/flags/groups/common_flags.h"
#include "extender/cli/flags/groups/flag_kinds.h"

namespace winnow {
namespace {

void add_names(CLI::App* app, const std::string& name, std::vector<std::string>& value, const char* help,
               const char* type = "A,B") {
  app->add_option(name, value, help)->type_name(type)->delimiter(',');
}

/// What is placed.
void add_pods(CLI::App* app, SimulateFlags& flags) {
  add_new_pods(app, flags.pod_files, flags.replicas, flags.pending);
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
  add_table_output(app, flags.json, flags.all_nodes, flags.width, "table or json: one object [table]");
  app->add_flag("--all-pods", flags.all_pods, "A line of the table for each pod");
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
