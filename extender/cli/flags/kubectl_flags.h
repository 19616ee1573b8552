// The command line of kubectl's plugin, `kubectl winnow`, parsed into a struct.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "cluster/client/access/client_flags.h"
#include "cluster/client/access/exec_credential.h"
#include "extender/cli/flags/common_flags.h"
#include "extender/cli/flags/eval_flags.h"
#include "extender/cli/flags/what_if_flags.h"
#include "extender/cli/flags/why_flags.h"

namespace winnow {

enum class KubectlCommand : std::uint8_t {
  kExplain,
  kWhy,
  kNodes,
  kPending,
  kEval,
  kSimulate,
  kCompare,
  kWithdraw,
  kCompletion,
  kComplete
};

/// -o. kName gives names alone, a line each.
enum class OutputForm : std::uint8_t { kTable, kWide, kJson, kName };

/// The flags of `kubectl winnow`.
struct KubectlFlags {
  KubectlCommand command = KubectlCommand::kExplain;
  std::vector<std::string> pods;  ///< See parse_pod_name(), which takes them with -n.
  std::string pod_namespace;      ///< -n; "": the context's, or "default".
  bool all_namespaces = false;    ///< -A of pending; of nodes without a pod it changes nothing.
  live::ClientFlags client{.as_kubectl = true, .plugins = std::make_shared<live::ExecPlugins>()};
  std::string winnow;  ///< --winnow: NAMESPACE/SERVICE, "none", or "" for the one that is found.
  std::optional<std::string> path_prefix;  ///< --path-prefix; nothing: as the Service says.
  std::string config;                      ///< --config; "": today's rules. For the cluster itself.
  OutputForm output = OutputForm::kTable;
  NodeWords nodes;           ///< Of explain; of nodes it is -l alone.
  bool all_nodes = false;    ///< --all-nodes of explain.
  std::optional<int> width;  ///< --width of explain.
  CommonFlags common;        ///< Of eval, simulate and compare, with the kubeconfigs of kubectl.
  EvalFlags eval;
  SimulateFlags simulate;
  CompareFlags compare;
  WithdrawFlags withdraw;          ///< But for its `json`: that is `output`.
  std::string shell;               ///< Of completion.
  std::vector<std::string> words;  ///< Of __complete: those before the cursor, the last one unfinished.
};

/// Whether the program was started as kubectl starts its plugin: its file is called kubectl-winnow.
bool is_kubectl_plugin(std::string_view program);

/// Parses the arguments. @return the flags; or the exit code, after help, a version or an error was printed.
std::variant<KubectlFlags, int> parse_kubectl_flags(int argc, char** argv);

/// Whether a flag of some command is followed by its value: "-n", "--namespace".
bool takes_value(std::string_view flag);
/// Whether that value is the name of a file.
bool takes_file(std::string_view flag);

/// Moves the command to the front of the words: flags may stand before it, as in kubectl.
/// @return whether there is one. Otherwise the words stay as they are.
bool put_command_first(std::vector<std::string>& words);

/// The long names of the flags of a sub-command, with "--"; empty for an unknown one.
std::vector<std::string> kubectl_flag_names(std::string_view command);

/// The text of a namespace, a flag of kubectl and others like it, among words that may be wrong: the value of
/// the last `--name VALUE`, `--name=VALUE`, `-x VALUE`, `-xVALUE` or `-x=VALUE`; "": there is none. For
/// completion.
/// @param short_name  "": it has none.
std::string value_among(const std::vector<std::string>& words, std::string_view name,
                        std::string_view short_name);

}  // namespace winnow
