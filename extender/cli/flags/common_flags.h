// The flags that several commands have.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/client/access/client_flags.h"
#include "extender/engine/select.h"
#include "extender/service/log/log.h"

namespace CLI {
class App;
}

namespace winnow {

enum class AnswerMode : std::uint8_t;

/// The flags that every sub-command has.
struct CommonFlags {
  std::vector<std::string> cluster;  ///< Files; "-" is standard input.
  live::ClientFlags client;          ///< For a live cluster.
  bool discover_api_servers = false;
  std::string config;  ///< The file of rules, or their name: see named_rules().
  std::string feature_gates;
  ScoreScale scale = ScoreScale::kBest;
  std::optional<std::uint64_t> seed;
  int verbosity = 0;
  LogFormat log_format = LogFormat::kText;
};

/// The flags about a Winnow that runs, spelled as kubectl's. All of them but the URL may
/// be empty.
struct ServerFlags {
  std::string url;          ///< --server; "": none is asked.
  std::string authority;    ///< --certificate-authority FILE; "": the system's.
  std::string certificate;  ///< --client-certificate FILE
  std::string key;          ///< --client-key FILE
  std::string name;         ///< --tls-server-name; "": the URL's host.
  std::string token;        ///< --token; a secret.
};

/// Adds --cluster and all of CommonFlags. @param seed_help  what --seed does to the command.
void add_common(CLI::App* app, CommonFlags& flags, const char* seed_help);
/// Adds --cluster.
void add_files(CLI::App* app, CommonFlags& flags);
/// Adds --kubeconfig, --context and --master.
void add_live(CLI::App* app, CommonFlags& flags);
/// Adds --feature-gates.
void add_gates(CLI::App* app, CommonFlags& flags);
/// Adds --answer.
void add_answer(CLI::App* app, AnswerMode& answer);
/// Adds --server and what goes with it. @param help  of --server.
void add_server(CLI::App* app, ServerFlags& flags, const char* help);

}  // namespace winnow
