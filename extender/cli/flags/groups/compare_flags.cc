#include "extender/cli/flags/groups/compare_flags.h"

#include <string_view>

#include "extender/cli/flags/groups/common_flags.h"
#include "extender/cli/flags/groups/flag_kinds.h"

namespace winnow {

void add_compare(CLI::App& app, CompareFlags& flags, CommonFlags& common) {
  CLI::App* compare = app.add_subcommand("compare", "Say where pods go under other rules, and by which rule");
  add_common(compare, common, "Draw among equal nodes as serve with this seed [first by name]");
  compare->get_option("--config")->description("A: a Policy or KubeSchedulerConfiguration [v1.16's default]");
  compare->add_option("--with", flags.with, "B: the other rules, in a file as that of --config")
      ->type_name("FILE");
  compare
      ->add_option_function<std::string>(
          "--with-feature-gates", [&flags](const std::string& gates) { flags.with_gates = gates; },
          "Those of B [as --feature-gates]")
      ->type_name("GATES");
  add_new_pods(compare, flags.pod_files, flags.replicas, flags.pending);
  compare->add_flag("--placed", flags.placed, "Ask where each running pod would go now, by itself");
  compare->add_option("--pod", flags.pod, "All that both say of this pod: NAMESPACE/NAME")->type_name("POD");
  add_table_output(compare, flags.json, flags.all_nodes, flags.width, "table or json: one object [table]");
  compare->add_flag("--all-pods", flags.all_pods, "Show every pod that differs, and every cause");
  compare->footer(
      "Exit code: 0 all choices are the same, 1 one differs, 2 bad input, 130 stopped by Ctrl-C.\n"
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

}  // namespace winnow
