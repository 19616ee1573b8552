// The command line, parsed into structs, and flags that contradict each other.
//
// extender/cli/flags holds what is known of flags alone. flags.cc defines those of serve and explain. It says
// which contradict each other. kubectl_flags.cc has those of kubectl winnow. serve_flags.h reads addresses,
// and has the flags of the parts of serve: --nominate, --record, --shadow and TLS. node_metrics_flags.h has
// those of --node-metrics. check_flags.h, eval_flags.h, what_if_flags.h and why_flags.h have those of other
// commands. common_flags.h has those of several commands, and flag_kinds.h makes options. object_name.h reads
// names of pods, and unknown_words.h says what nothing takes.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "extender/cli/flags/check_flags.h"
#include "extender/cli/flags/common_flags.h"
#include "extender/cli/flags/eval_flags.h"
#include "extender/cli/flags/node_metrics_flags.h"
#include "extender/cli/flags/serve_flags.h"
#include "extender/cli/flags/what_if_flags.h"
#include "extender/cli/flags/why_flags.h"
#include "extender/reuse/kept_answers.h"
#include "extender/service/scheduling/options.h"

namespace winnow {

/// Exit codes of the command.
inline constexpr int kDone = 0;
inline constexpr int kAnswerIsNo = 1;  ///< A pod fits nowhere; of compare: a choice differs.
inline constexpr int kBadInput = 2;

/// Who decides what a bearer token opens (--authorization-webhook).
enum class AuthorizationWebhook : std::uint8_t { kOff, kApiServer };

/// A million decisions may take 4 GB.
inline constexpr std::uint32_t kMostKeptDecisions = 1'000'000;

/// The flags of `winnow serve`.
struct ServeFlags {
  std::string bind_address = "127.0.0.1";
  std::uint16_t port = kDefaultPort;
  TlsFlags tls;
  AuthorizationWebhook authorization_webhook = AuthorizationWebhook::kOff;
  std::string path_prefix;           ///< Of all paths of --port, as "/scheduler"; "": none.
  bool enable_profiling = false;     ///< GET /debug/pprof/profile is answered.
  std::string metrics_bind_address;  ///< For health and metrics only; see parse_listen_address().
  AnswerMode answer = AnswerMode::kComplete;
  std::optional<FailedNodes> failed_nodes;      ///< Absent: quiet for a live cluster, judged for files.
  std::optional<PreemptSearch> preempt_search;  ///< See ExtenderOptions.
  std::vector<std::string> scheduler_filters;   ///< See ExtenderOptions.
  bool enable_bind = false;
  bool allow_missing_rules = false;  ///< With --answer=best: accept rules that lack checks.
  std::string last_good_config;      ///< Path of the copy of the configuration in force; "": none.
  std::chrono::milliseconds max_staleness{60'000};
  bool serve_stale = false;
  std::chrono::milliseconds catch_up{250};
  std::uint32_t keep_decisions = 10'000;  ///< 0: none; kMostKeptDecisions at most.
  std::chrono::milliseconds request_timeout = kRequestTimeout;
  std::chrono::milliseconds shutdown_delay{0};
  NodeMetricsFlags node_metrics;
  NominateFlags nominate;
  RecordFlags record;
  ReuseOptions reuse;
  ShadowFlags shadow;
  std::map<std::string, std::string> shown;  ///< All of them, for /flagz; see shown_flags().
};

/// Whether pods are nominated that a call of filter has refused, and that another node may help. By default
/// with --answer=best and one on a live cluster. A Winnow that nominates does it for all pods, and one that
/// is a shadow writes nothing. @param live  of a live cluster.
bool nominates_refused(const ServeFlags& flags, bool live);

/// The flags of `winnow explain`.
struct ExplainFlags {
  std::vector<std::string> pods;       ///< See parse_pod_name().
  std::vector<std::string> pod_files;  ///< Files with the pods to explain.
  NodeWords nodes;                     ///< The nodes to explain; none: all.
  bool json = false;
  bool all_nodes = false;
  bool suggest = true;  ///< --no-suggestions
  std::optional<int> width;
  ServerFlags server;  ///< To compare rules with.
};

enum class Command : std::uint8_t {
  kServe,
  kExplain,
  kEval,
  kSimulate,
  kCompare,
  kCheck,
  kConfigure,
  kDoctor,
  kWhy,
  kReplay,
  kWithdraw,
  kCompletion,
  kComplete  ///< What the scripts of kCompletion call.
};

struct CommandLine {
  Command command = Command::kServe;
  CommonFlags common;
  ServeFlags serve;
  ExplainFlags explain;
  EvalFlags eval;
  SimulateFlags simulate;
  CompareFlags compare;
  CheckFlags check;
  ConfigureFlags configure;
  DoctorFlags doctor;
  WhyFlags why;
  ReplayFlags replay;
  WithdrawFlags withdraw;
  std::string shell;               ///< Of completion.
  std::vector<std::string> words;  ///< Of __complete; see complete_winnow().
};

/// Parses the arguments.
/// @return the command line; or the exit code, after help, a version or an error was printed.
std::variant<CommandLine, int> parse_flags(int argc, char** argv);

// Flags of a command that contradict each other, or that lack one another.

/// Whether the flags, or the environment of a pod, name a live cluster.
bool names_live_cluster(const CommonFlags& flags);

/// The error for flags that name no cluster. @param of_serve  which does not take KUBECONFIG.
std::string no_cluster_error(bool of_serve = false);

/// The error for flags of serve that contradict each other; "": none. Reads no file.
std::string wrong_serve_flags(const CommonFlags& common, const ServeFlags& flags);
/// The error for --enable-profiling beside the other flags; "": none.
std::string wrong_profiling(const ServeFlags& flags);
/// The error for --authorization-webhook beside the other flags; "": none.
std::string wrong_webhook(const CommonFlags& common, const ServeFlags& flags);

}  // namespace winnow
