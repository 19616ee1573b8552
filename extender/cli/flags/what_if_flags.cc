#include "extender/cli/flags/what_if_flags.h"

#include <string_view>

#include "extender/cli/flags/common_flags.h"
#include "extender/cli/flags/flag_kinds.h"

namespace winnow {

void add_compare(CLI::App& app, CompareFlags& flags, CommonFlags& common) {
  CLI::App* compare = app.add_subcommand("compare", "Say where pods go under other rules, and why");
  add_common(compare, common, "Draw among equals as serve does [first by name]");
  compare->get_option("--config")->description("A: a file of rules, default or classic [default]");
  compare->add_option("--with", flags.with, "B: the other rules, in a file as that of --config")
      ->type_name("FILE");
  compare
      ->add_option_function<std::string>(
          "--with-feature-gates", [&flags](const std::string& gates) { flags.with_gates = gates; },
          "Those of B [as --feature-gates]")
      ->type_name("GATES");
  add_new_pods(compare, flags.pod_files, flags.replicas);
  compare->add_flag("--pending", flags.pending, "Place pending pods too [if nothing else is]");
  compare->add_flag("--placed", flags.placed, "Ask where each running pod would go by itself");
  compare->add_option("--pod", flags.pod, "All that both say of this pod")->type_name("POD");
  add_namespace(compare, common);
  add_table_output(compare, flags.json, flags.all_nodes, flags.width,
                   "wide: as --width 0; json: one object [table]");
  compare->add_flag("--all-pods", flags.all_pods, "Show every pod that differs, and every cause");
  compare->footer(
      "Exit code: 0 all choices are the same, 1 one differs, 2 bad input, 130 Ctrl-C.\n"
      "Example: winnow compare --cluster cluster.json --config old.yaml --with new.yaml");
}

std::string wrong_compare_flags(const CompareFlags& flags) {
  struct Row {
    bool wrong;
    std::string_view error;
  };
  const bool has_files = !flags.pod_files.empty();
  const Row rows[] = {
      {flags.with.empty() && !flags.placed,
       "--with is missing: expected --with FILE, the rules to compare with (--placed can do without)"},
      {flags.with.empty() && flags.with_gates, "--with-feature-gates needs --with"},
      {flags.replicas && !has_files, "--replicas needs --pods"},
      {flags.placed && has_files, "--placed and --pods contradict each other"},
      {flags.placed && flags.pending, "--placed and --pending contradict each other"},
      {flags.json && flags.all_pods, "--all-pods is of the table: json has all pods"},
      {flags.json && flags.all_nodes, "--all-nodes is of the table: json has all nodes"},
  };
  for (const Row& row : rows)
    if (row.wrong) return std::string(row.error);
  return "";
}

namespace {

void add_names(CLI::App* app, const std::string& name, std::vector<std::string>& value, const char* help,
               const char* type) {
  app->add_option(name, value, help)->type_name(type)->delimiter(',');
}

/// What is placed.
void add_pods(CLI::App* app, SimulateFlags& flags) {
  add_new_pods(app, flags.pod_files, flags.replicas);
  add_names(app, "--scale", flags.scale, "Scale workloads of the cluster: NAME=N", "SCALES");
  app->add_option_function<std::vector<std::string>>(
         "--pending",
         [&flags](const std::vector<std::string>& pods) {
           flags.pending = true;
           for (const std::string& pod : pods)
             if (!pod.empty()) flags.pending_pods.push_back(pod);
         },
         "Place pending pods, or these, too")
      ->type_name("PODS")
      ->expected(0, -1)
      ->delimiter(',');
  add_nodes(app, "--drain", flags.drain, "Drain these nodes, and place their pods anew", -1);
  app->add_flag("--until-full", flags.until_full, "Repeat the pods that come until one does not fit");
  app->add_flag("--preemption", flags.preemption, "Let pods evict others of lower priority");
}

/// What is changed before.
void add_changes(CLI::App* app, SimulateFlags& flags) {
  add_nodes(app, "--remove-nodes", flags.remove_nodes, "Remove these first, and place their pods anew", -1);
  add_nodes(app, "--fail-nodes", flags.fail_nodes, "They become unreachable; place their pods anew", -1);
  add_nodes(app, "--cordon", flags.cordon, "Cordon these nodes first", -1);
  app->add_option("--add-nodes", flags.add_nodes, "Add the Nodes of a file first")->type_name("FILE");
  app->add_option("--count", flags.count, "How many of each [1]")
      ->type_name("N")
      ->check(whole_number(100'000));
  app->add_option("--add-nodes-until-fits", flags.add_nodes_until_fits,
                  "Add Nodes of a file in turn until all pods fit")
      ->type_name("FILE");
  app->add_option("--most", flags.most, with_default("How often at most", SimulateFlags::kMostNodes))
      ->type_name("N")
      ->check(whole_number(100'000));
  add_names(app, "--delete-pods", flags.delete_pods, "Delete these pods first: [NAMESPACE/]NAME", "PODS");
  add_names(app, "--set-label", flags.set_labels, "Label first: NODES:KEY=VALUE; KEY- removes", "LABELS");
}

void add_output(CLI::App* app, SimulateFlags& flags) {
  add_table_output(app, flags.json, flags.all_nodes, flags.width,
                   "wide: as --width 0; json: one object [table]");
  app->add_flag("--all-pods", flags.all_pods, "A line of the table for each pod");
}

}  // namespace

void add_simulate(CLI::App& app, SimulateFlags& flags, CommonFlags& common) {
  CLI::App* simulate = app.add_subcommand("simulate", "Say where pods would go after imagined changes");
  add_common(simulate, common, "Draw among equals as serve does [first by name]");
  simulate->get_option("--score-scale")->group("");  // Placements go by totals: it changes nothing here.
  add_namespace(simulate, common);
  add_pods(simulate, flags);
  add_changes(simulate, flags);
  add_output(simulate, flags);
  simulate->footer(
      "NODES are names, patterns ('pool-a-*') or labels (pool=spot, zone=eu-1a).\n"
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
      {flags.until_full && flags.pod_files.empty() && flags.scale.empty(),
       "--until-full needs --pods or --scale"},
      {flags.until_full && grows, "--until-full and --add-nodes-until-fits contradict each other"},
      {flags.until_full && flags.preemption, "--until-full and --preemption contradict each other"},
      {flags.count && flags.add_nodes.empty(), "--count needs --add-nodes"},
      {flags.most && !grows, "--most needs --add-nodes-until-fits"},
      {flags.json && flags.all_pods, "--all-pods is of the table: json has all pods"},
      {flags.json && flags.all_nodes, "--all-nodes is of the table: json has all nodes"},
  };
  for (const Row& row : rows)
    if (row.wrong) return std::string(row.error);
  return "";
}

void add_replay(CLI::App& app, ReplayFlags& flags) {
  CLI::App* replay = app.add_subcommand("replay", "Answer a recording's calls again, and compare");
  replay->add_option("RECORDING", flags.recording, "The directory of serve --record, or a file of it")
      ->type_name("")
      ->required();
  replay
      ->add_option("--anonymize", flags.anonymize,
                   "Write it to a new directory without names, and\nwith the answers that follow")
      ->type_name("DIR");
  replay->add_option("-o,--output", "text or json: one object [text]")
      ->type_name("text|json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->each([&flags](const std::string& word) { flags.json = word == "json"; });
  replay->footer(
      "Exit code: 0 every answer is the same, 1 one differs, 2 bad input, 130 Ctrl-C.\n"
      "Example: winnow replay recording/");
}

}  // namespace winnow
