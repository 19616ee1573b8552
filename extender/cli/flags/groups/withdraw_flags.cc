#include "extender/cli/flags/groups/withdraw_flags.h"

#include "cluster/api/generation.h"
#include "cluster/api/label_syntax.h"
#include "cluster/text/go_quote.h"
#include "extender/cli/flags/groups/flag_kinds.h"

namespace winnow {

void add_withdraw_choices(CLI::App* app, WithdrawFlags& flags) {
  app->add_option("--nominate-gate", flags.gate, "Remove this scheduling gate of pods, too [none]")
      ->type_name("NAME");
  app->add_flag("--dry-run", flags.dry_run, "Write nothing: say what would be cleared");
  app->add_flag("--force", flags.force, "Do it while a Winnow nominates, too: it writes them again");
  add_duration(app, "--wait", flags.wait, "How long a Winnow that nominates may take to end");
  app->add_option("--leader-elect-resource-name", flags.lease_name,
                  with_default("The Lease of the one that nominates", flags.lease_name))
      ->type_name("NAME");
  app->add_option("--leader-elect-resource-namespace", flags.lease_namespace,
                  "Its namespace [the service account's, else kube-system]")
      ->type_name("NAME");
}

void add_withdraw(CLI::App& app, WithdrawFlags& flags, CommonFlags& common) {
  CLI::App* withdraw = app.add_subcommand("withdraw", "Take away what Winnow has written to pods that wait");
  add_live(withdraw, common);
  add_withdraw_choices(withdraw, flags);
  withdraw->add_option("-o,--output", "text, or json: one object [text]")
      ->type_name("text|json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->each([&flags](const std::string& word) { flags.json = word == "json"; });
  withdraw->footer(
      "It clears Winnow's nominations of all pods without a node. Run it when Winnow is removed.\n"
      "Exit code: 0 all are cleared, 1 some could not be, 2 bad input, or a Winnow still nominates.\n"
      "Example: winnow withdraw --kubeconfig admin.conf --nominate-gate winnow.dev/nominate");
}

std::string wrong_withdraw_flags(const WithdrawFlags& flags) {
  const std::string wrong = flags.gate.empty() ? "" : label_key_errors(flags.gate, Generation::kToday);
  if (wrong.empty()) return {};
  return "--nominate-gate: " + go_quote(flags.gate) + " is not the name of a scheduling gate: " + wrong;
}

}  // namespace winnow
