// The command line, parsed.
//
// extender/cli holds what a person types: flags.cc knows the words (the only user of CLI11), serve.cc,
// explain_command.cc and check_command.cc do what they say, cluster_source.cc and live_source.cc are what
// they begin with, main.cc joins them.
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
inline constexpr int kAnswerIsNo = 1;  ///< A pod fits nowhere.
inline constexpr int kBadInput = 2;

/// What every sub-command takes.
struct CommonFlags {
  std::vector<std::string> cluster;  ///< Files, "-" for standard input.
  live::ClientFlags client;          ///< Of a live cluster.
  bool discover_api_servers = false;
  std::string config;  ///< The policy's file; "": the default provider.
  std::string feature_gates;
  ScoreScale scale = ScoreScale::kBest;
  std::optional<std::uint64_t> seed;
  int verbosity = 0;
};

struct ServeFlags {
  std::string bind_address = "127.0.0.1";
  std::uint16_t port = kDefaultPort;
  std::string
      metrics_bind_address;  ///< Of a listener for health and metrics alone; see parse_listen_address().
  AnswerMode answer = AnswerMode::kComplete;
  std::optional<FailedNodes> failed_nodes;  ///< Absent: quiet for a live cluster, judged for files.
  bool enable_bind = false;
  bool allow_missing_rules = false;  ///< With --answer=best: rules that do not check all that it takes.
  std::string last_good_config;      ///< A copy of the configuration in force; "": none is kept.
  std::chrono::milliseconds max_staleness{60'000};
  bool serve_stale = false;
  std::chrono::milliseconds catch_up{250};
  std::chrono::milliseconds shutdown_delay{0};
};

struct ExplainFlags {
  std::vector<std::string> pods;       ///< "namespace/name", or a name in "default".
  std::vector<std::string> pod_files;  ///< Files with the pods to explain.
  std::vector<std::string> nodes;      ///< Asked about; empty: all.
  bool json = false;
  bool all_nodes = false;
  std::optional<int> width;
  std::string server;  ///< The URL of a Winnow whose rules are to be the same; "": none.
};

struct CheckFlags {
  std::vector<std::string> files;  ///< Of rules.
  std::string scheduler_config;    ///< kube-scheduler's own; "": not looked at.
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

/// Parses the arguments. @return the command line, or the exit code after help, version or an error was
/// printed.
std::variant<CommandLine, int> parse_flags(int argc, char** argv);

}  // namespace winnow
