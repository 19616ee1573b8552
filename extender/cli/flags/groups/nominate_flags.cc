#include "extender/cli/flags/groups/nominate_flags.h"

#include <CLI/CLI.hpp>
#include <map>

#include "cluster/api/label_syntax.h"
#include "cluster/text/go_quote.h"
#include "extender/cli/flags/groups/flag_kinds.h"

namespace winnow {
namespace {

const std::map<std::string, GateWhenInfeasible> kGateWhenInfeasible = {
    {"release", GateWhenInfeasible::kRelease}, {"hold", GateWhenInfeasible::kHold}};

void add_gate_flags(CLI::App& app, NominateFlags& flags) {
  add_list(&app, "--nominate-schedulers", flags.schedulers, "A,B",
           "schedulerNames of the pods [those of --config's profiles]");
  app.add_option("--nominate-gate", flags.gate, "Decide pods that this gate holds, and remove it [none]")
      ->type_name("NAME");
  add_choice(&app, "--nominate-gate-when-infeasible", flags.gate_when_infeasible, kGateWhenInfeasible,
             with_default("What becomes of a gate where no node fits", flags.gate_when_infeasible,
                          kGateWhenInfeasible));
}

/// The names and the meanings are kube-scheduler's. Upstream: component-base
/// config/options/leaderelectionconfig.go v0.37.0.
void add_election_flags(CLI::App& app, NominateFlags& flags) {
  live::LeaderElectionOptions& election = flags.election;
  app.add_flag("--leader-elect", flags.leader_elect, "Of several replicas one nominates, by a Lease [true]");
  add_duration(&app, "--leader-elect-lease-duration", election.lease_duration,
               "How long a Lease holds that nobody renews");
  add_duration(&app, "--leader-elect-renew-deadline", election.renew_deadline,
               "How long a leader nominates that cannot renew");
  add_duration(&app, "--leader-elect-retry-period", election.retry_period, "Between tries to take or renew");
  app.add_option("--leader-elect-resource-name", election.resource_name,
                 with_default("The Lease", election.resource_name))
      ->type_name("NAME");
  app.add_option("--leader-elect-resource-namespace", election.resource_namespace,
                 "Its namespace [the pod's own, else kube-system]")
      ->type_name("NAME");
}

void add_rarer_nominate(CLI::App& app, NominateFlags& flags) {
  add_gate_flags(app, flags);
  app.add_flag("--nominate-events", flags.events,
               "Write an event where a nomination comes to nothing [true]");
  add_election_flags(app, flags);
}

}  // namespace

void add_nominate(CLI::App& serve, NominateFlags& flags) {
  CLI::Option* const nominate = serve.add_flag(
      "--nominate", flags.nominate, "Nominate nodes for waiting pods; --help-nominate has its flags");
  const std::vector<CLI::Option*> own = add_with_own_help(
      serve, flags, add_rarer_nominate,
      {"--help-nominate", "Write to waiting pods which node they are to take", "winnow serve --nominate"});
  for (CLI::Option* option : own) option->needs(nominate);
}

std::string wrong_nominate_flags(const NominateFlags& flags, bool live) {
  if (!flags.nominate) return {};
  if (!live) return "--nominate needs a live cluster, and --cluster is not one";
  if (const std::string wrong = label_key_errors(flags.gate, Generation::kToday);
      !flags.gate.empty() && !wrong.empty())
    return "--nominate-gate: " + go_quote(flags.gate) + " is not the name of a scheduling gate: " + wrong;
  return flags.leader_elect ? live::problem_of(flags.election) : "";
}

}  // namespace winnow
