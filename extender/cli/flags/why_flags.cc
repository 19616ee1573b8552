#include "extender/cli/flags/why_flags.h"

#include <string_view>

#include "cluster/api/meta.h"
#include "cluster/api/names.h"
#include "cluster/text/go_format.h"
#include "extender/cli/flags/flag_kinds.h"
#include "extender/explain/decisions_json.h"

namespace winnow {

void add_why(CLI::App& app, WhyFlags& flags, CommonFlags& common) {
  CLI::App* why = app.add_subcommand("why", "Say what was decided about a pod, or holds now");
  why->add_option("POD", flags.pod, "The pod: NAME or NAMESPACE/NAME")->type_name("")->required();
  add_namespace(why, common);
  why->add_flag("--now", flags.now, "Say how things stand now, not what was decided");
  add_server(why, flags.server, "The Winnow that runs, as https://HOST:PORT");
  why->add_option("--limit", flags.limit, with_default("The newest decisions that are shown", flags.limit))
      ->type_name("N")
      ->check(CLI::Range(1, static_cast<int>(DecisionsQuery::kMostLimit)).description(""));
  why->add_option("-o,--output", "wide: as --width 0; json: as GET /decisions answers it [text]")
      ->type_name("text|wide|json")
      ->check(CLI::IsMember({"text", "wide", "json"}).description(""))
      ->each([&flags](const std::string& word) {
        flags.json = word == "json";
        if (word == "wide" && !flags.width) flags.width = 0;
      });
  why->add_option("--width", flags.width, "Columns; 0: whole names of nodes [lines of any length]")
      ->type_name("N")
      ->check(CLI::Range(0, 100000).description(""));
  why->option_defaults()->group("For --now without --server: the cluster, and the rules");
  add_files(why, common);
  add_live(why, common);
  why->add_option("--config", common.config, "A file of rules, default or classic [default]")
      ->type_name("FILE");
  add_gates(why, common);
  why->footer(
      "Exit code: 0 there are decisions, or the present is told; 1 none is kept;\n"
      "2 bad input or no answer.\n"
      "Example: winnow why default/web-1 --server http://127.0.0.1:10290");
}

std::string wrong_why_flags(const CommonFlags& common, const WhyFlags& flags) {
  const bool names_cluster =
      !common.cluster.empty() || !common.client.kubeconfig.empty() || !common.client.masters.empty();
  if (!flags.now && flags.server.url.empty())
    return names_cluster ? "a cluster keeps no decisions: expected --now, or --server http://HOST:PORT"
                         : "no Winnow to ask: expected --server http://HOST:PORT, or --now and a cluster";
  if (!flags.server.url.empty() && names_cluster)
    return "--server answers by what it knows: it does not go with --cluster, --kubeconfig or --master";
  return "";
}

void add_withdraw_choices(CLI::App* app, WithdrawFlags& flags) {
  app->add_option("--nominate-gate", flags.gate, "Remove this scheduling gate of pods, too [none]")
      ->type_name("NAME");
  app->add_flag("--dry-run", flags.dry_run, "Write nothing: say what would be cleared");
  app->add_flag("--force", flags.force, "Also while a Winnow nominates, and writes again");
  add_duration(app, "--wait", flags.wait, "What a Winnow that nominates has to end in");
  app->add_option("--leader-elect-resource-name", flags.lease_name,
                  with_default("The Lease of the one that nominates", flags.lease_name))
      ->type_name("NAME");
  app->add_option("--leader-elect-resource-namespace", flags.lease_namespace,
                  "Its namespace [the account's, or kube-system]")
      ->type_name("NAME");
}

void add_withdraw(CLI::App& app, WithdrawFlags& flags, CommonFlags& common) {
  CLI::App* withdraw = app.add_subcommand("withdraw", "Take away what Winnow wrote to waiting pods");
  add_live(withdraw, common);
  add_withdraw_choices(withdraw, flags);
  withdraw->add_option("-o,--output", "text, or json: one object [text]")
      ->type_name("text|json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->each([&flags](const std::string& word) { flags.json = word == "json"; });
  withdraw->footer(
      "It clears Winnow's nominations of pods without a node, when Winnow is removed.\n"
      "Exit code: 0 all are cleared, 1 some are not, 2 bad input, or one nominates.\n"
      "Example: winnow withdraw --kubeconfig admin.conf --nominate-gate x.dev/gate");
}

std::string wrong_withdraw_flags(const WithdrawFlags& flags) {
  const std::string wrong = flags.gate.empty() ? "" : label_key_errors(flags.gate, Generation::kToday);
  if (wrong.empty()) return {};
  return "--nominate-gate: " + go_quote(flags.gate) + " is not the name of a scheduling gate: " + wrong;
}

namespace {

/// The text between the brackets at the end of a help; "" if it has none.
std::string default_in(std::string_view help) {
  const std::size_t open = help.rfind('[');
  if (!help.ends_with(']') || open == std::string_view::npos) return {};
  return std::string(help.substr(open + 1, help.size() - open - 2));
}

std::string value_of(const CLI::Option& option) {
  const bool is_switch = option.get_items_expected_max() == 0;
  if (option.count() == 0) {
    std::string unless_given = default_in(option.get_description());
    return is_switch && unless_given.empty() ? "false" : unless_given;
  }
  if (is_switch) return option.as<bool>() ? "true" : "false";
  std::string text;
  for (const std::string& word : option.results()) text += (text.empty() ? "" : ",") + word;
  return text;
}

}  // namespace

std::map<std::string, std::string> shown_flags(const CLI::App& command) {
  std::map<std::string, std::string> shown;
  for (const CLI::Option* option : command.get_options())
    if (!option->get_lnames().empty() && !option->get_lnames().front().starts_with("help"))
      shown.emplace(option->get_lnames().front(), value_of(*option));
  return shown;
}

}  // namespace winnow
