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
  std::string pod_namespace;  ///< -n, of pods that are named without one; "": the context's, or "default".
  std::string config;         ///< The file of rules, or their name: see named_rules().
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

/// Nodes as the command line names them: see named_nodes().
struct NodeWords {
  std::vector<std::string> values;  ///< Of the flag, each as it was given.
  std::string selector;             ///< -l; "": none.

  bool empty() const { return values.empty() && selector.empty(); }
};

/// Adds a flag that names nodes. @param most  words that it takes at once; -1: any number.
void add_nodes(CLI::App* app, const char* name, std::vector<std::string>& values, const char* help,
               int most = 1);
/// Adds -l, which goes with no flag that names nodes otherwise.
void add_node_selector(CLI::App* app, NodeWords& nodes, const char* help);

/// Adds --cluster and all of CommonFlags. @param seed_help  what --seed does to the command.
void add_common(CLI::App* app, CommonFlags& flags, const char* seed_help);
/// Adds --cluster.
void add_files(CLI::App* app, CommonFlags& flags);
/// Adds --kubeconfig, --context and --master.
void add_live(CLI::App* app, CommonFlags& flags);
/// Adds -n.
void add_namespace(CLI::App* app, CommonFlags& flags);
/// Adds --feature-gates.
void add_gates(CLI::App* app, CommonFlags& flags);
/// Adds --answer.
void add_answer(CLI::App* app, AnswerMode& answer);
/// Adds --server and what goes with it. @param help  of --server.
void add_server(CLI::App* app, ServerFlags& flags, const char* help);

}  // namespace winnow
