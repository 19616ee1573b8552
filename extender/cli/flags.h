// The command line, parsed into structs.
//
// extender/cli holds the commands. flags.cc defines the flags, and is the only user of CLI11. serve.cc,
// explain_command.cc and check_command.cc are the sub-commands. cluster_source.cc and api_access.cc open the
// cluster. main.cc calls the sub-command.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cluster/access/client_flags.h"
#include "extender/calls/options.h"
#include "extender/check/setup_check.h"

namespace winnow {

/// Exit codes of the command.
inline constexpr int kDone = 0;
inline constexpr int kAnswerIsNo = 1;  ///< Exit code if a pod fits nowhere.
inline constexpr int kBadInput = 2;

/// The flags that every sub-command has.
struct CommonFlags {
  std::vector<std::string> cluster;  ///< Files; "-" is standard input.
  live::ClientFlags client;          ///< For a live cluster.
  bool discover_api_servers = false;
  std::string config;  ///< The file of rules; "": the default provider.
  std::string feature_gates;
  ScoreScale scale = ScoreScale::kBest;
  std::optional<std::uint64_t> seed;
  int verbosity = 0;
};

/// The flags of TLS on the port for calls.
struct TlsFlags {
  std::string cert_file;  ///< "": plain HTTP.
  std::string key_file;
  std::string client_ca_file;  ///< "": no client needs a certificate.
  bool only_tls13 = false;
  std::vector<std::string> cipher_suites;                         ///< IANA's names; empty: Go's defaults.
  std::vector<std::string> anonymous_paths{"/livez", "/readyz"};  ///< Open without a client certificate.
  std::vector<std::string> allowed_client_names;                  ///< Empty: all of the client authority.
};

/// The flags of `winnow serve`.
struct ServeFlags {
  std::string bind_address = "127.0.0.1";
  std::uint16_t port = kDefaultPort;
  TlsFlags tls;
  std::string metrics_bind_address;  ///< For health and metrics only; see parse_listen_address().
  AnswerMode answer = AnswerMode::kComplete;
  std::optional<FailedNodes> failed_nodes;  ///< Absent: quiet for a live cluster, judged for files.
  bool enable_bind = false;
  bool allow_missing_rules = false;  ///< With --answer=best: accept rules that lack checks.
  std::string last_good_config;      ///< Path of the copy of the configuration in force; "": none.
  std::chrono::milliseconds max_staleness{60'000};
  bool serve_stale = false;
  std::chrono::milliseconds catch_up{250};
  std::chrono::milliseconds request_timeout = kRequestTimeout;
  std::chrono::milliseconds shutdown_delay{0};
};

/// The flags of `winnow explain`.
struct ExplainFlags {
  std::vector<std::string> pods;       ///< "namespace/name", or a name in "default".
  std::vector<std::string> pod_files;  ///< Files with the pods to explain.
  std::vector<std::string> nodes;      ///< The nodes to explain; empty: all.
  bool json = false;
  bool all_nodes = false;
  std::optional<int> width;
  std::string server;  ///< URL of a running Winnow to compare rules with; "": none.
};

/// The flags of `winnow check`.
struct CheckFlags {
  std::vector<std::string> files;  ///< Files of rules.
  std::string scheduler_config;    ///< kube-scheduler's configuration file; "": not checked.
  StartFlags start;
};

enum class Command : std::uint8_t { kServe, kExplain, kCheck };

struct CommandLine {
  Command command = Command::kServe;
  CommonFlags common;
  ServeFlags serve;
  ExplainFlags explain;
  CheckFlags check;
};

/// Parses the arguments.
/// @return the command line; or the exit code, after help, a version or an error was printed.
std::variant<CommandLine, int> parse_flags(int argc, char** argv);

}  // namespace winnow
