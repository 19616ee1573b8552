// The command line, parsed into structs.
//
// extender/cli/flags holds what is known of flags alone. flags.cc defines those of serve and explain, and
// kubectl_flags.cc those of kubectl winnow. wrong_flags.h says which contradict each other.
// listen_address.h reads an address. In groups/ are the flags of the other commands, one file a command, and
// of the parts of serve: --nominate, --record, --shadow and TLS. There common_flags.h has those of several
// commands, and flag_kinds.h makes options.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "extender/calls/options.h"
#include "extender/cli/flags/groups/check_flags.h"
#include "extender/cli/flags/groups/common_flags.h"
#include "extender/cli/flags/groups/compare_flags.h"
#include "extender/cli/flags/groups/configure_flags.h"
#include "extender/cli/flags/groups/nominate_flags.h"
#include "extender/cli/flags/groups/record_flags.h"
#include "extender/cli/flags/groups/replay_flags.h"
#include "extender/cli/flags/groups/shadow_flags.h"
#include "extender/cli/flags/groups/simulate_flags.h"
#include "extender/cli/flags/groups/tls_flags.h"
#include "extender/cli/flags/groups/why_flags.h"
#include "extender/cli/flags/groups/withdraw_flags.h"

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
  NominateFlags nominate;
  RecordFlags record;
  ShadowFlags shadow;
  std::map<std::string, std::string> shown;  ///< All of them, for /flagz; see shown_flags().
};

/// The flags of `winnow explain`.
struct ExplainFlags {
  std::vector<std::string> pods;       ///< "namespace/name", or a name in "default".
  std::vector<std::string> pod_files;  ///< Files with the pods to explain.
  std::vector<std::string> nodes;      ///< The nodes to explain; empty: all.
  bool json = false;
  bool all_nodes = false;
  std::optional<int> width;
  ServerFlags server;  ///< To compare rules with.
};

enum class Command : std::uint8_t {
  kServe,
  kExplain,
  kSimulate,
  kCompare,
  kCheck,
  kConfigure,
  kDoctor,
  kWhy,
  kReplay,
  kWithdraw
};

struct CommandLine {
  Command command = Command::kServe;
  CommonFlags common;
  ServeFlags serve;
  ExplainFlags explain;
  SimulateFlags simulate;
  CompareFlags compare;
  CheckFlags check;
  ConfigureFlags configure;
  DoctorFlags doctor;
  WhyFlags why;
  ReplayFlags replay;
  WithdrawFlags withdraw;
};

/// Parses the arguments.
/// @return the command line; or the exit code, after help, a version or an error was printed.
std::variant<CommandLine, int> parse_flags(int argc, char** argv);

}  // namespace winnow
