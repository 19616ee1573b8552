// The sub-commands. Each function returns the exit code of the process.
//
// extender/cli holds the commands: explain_command.cc, eval_command.cc, simulate_command.cc,
// compare_command.cc, check_command.cc, configure_command.cc, doctor_command.cc, why_command.cc,
// replay_command.cc and withdraw_command.cc. serve and its parts are in extender/cli/serve, kubectl's plugin
// is in extender/cli/kubectl, and the flags are in extender/cli/flags. winnow_server.cc asks a Winnow that
// runs. cluster_source.cc and api_access.cc open the cluster. main.cc calls the sub-command.
#pragma once

#include <string_view>

namespace winnow::live {

struct ClientFlags;

}  // namespace winnow::live

namespace winnow {

struct CheckFlags;
struct CommonFlags;
struct CompareFlags;
struct ConfigureFlags;
struct DoctorFlags;
struct EvalFlags;
struct ExplainFlags;
struct ReplayFlags;
struct ServeFlags;
struct SimulateFlags;
struct WhyFlags;
struct WithdrawFlags;

/// Serves until SIGTERM or SIGINT.
int serve(const CommonFlags& common, const ServeFlags& flags);
/// Prints an explanation of each pod.
int explain_pods(const CommonFlags& common, const ExplainFlags& flags);
/// Prints the value of an expression on each node.
int try_on_nodes(const CommonFlags& common, const EvalFlags& flags);
/// Prints where pods would go, after changes to the cluster that are only imagined.
int simulate(const CommonFlags& common, const SimulateFlags& flags);
/// Prints where the same pods go under two configurations, and which rules make the difference.
int compare(const CommonFlags& common, const CompareFlags& flags);
/// Prints a line for each error and each remark about the files, or about a cluster that is named alone.
int check_files(const CommonFlags& common, const CheckFlags& flags);
/// Makes kube-scheduler's new configuration and Winnow's rules.
int configure_scheduler(const CommonFlags& common, const ConfigureFlags& flags);
/// Says what is wrong with an installation.
int examine(const CommonFlags& common, const DoctorFlags& flags);
/// Prints what a Winnow that runs has decided about a pod; or how things stand now.
int say_why(const CommonFlags& common, const WhyFlags& flags);
/// Answers the calls of a recording again, and prints where the answers differ.
int replay_recording(const ReplayFlags& flags);
/// Takes away what Winnow has written to pods that wait. @param program  what error lines begin with.
int withdraw(const live::ClientFlags& client, const WithdrawFlags& flags, std::string_view program);

}  // namespace winnow
