// A credential plugin, as a kubeconfig names it in users[].user.exec: a command that prints credentials.
// kubeconfig.h reads it, exec_credential.h runs it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace winnow {
class Reader;
}

namespace winnow::live {

/// Whether the command gets standard input, as Kubernetes names it. It gets it from a terminal only.
enum class InteractiveMode : std::uint8_t { kNever, kIfAvailable, kAlways };

/// The command and how to run it. The arguments and the environment may be secrets.
struct ExecPlugin {
  std::string where;        ///< "FILE: users[0].user.exec", for errors.
  std::string api_version;  ///< Of the ExecCredential that is given and expected.
  std::string command;      ///< A name for PATH, or an absolute path.
  std::vector<std::string> arguments;
  std::vector<std::pair<std::string, std::string>> environment;  ///< Names and values, added to ours.
  std::string install_hint;                                      ///< For a command that is not there.
  InteractiveMode interactive = InteractiveMode::kIfAvailable;
  bool provide_cluster_info = false;
  /// What the command is told of the cluster besides its address and its certificate authority.
  bool disable_compression = false;
  std::string cluster_config = "null";  ///< JSON: the cluster's extension for plugins.
  bool operator==(const ExecPlugin&) const = default;
};

/// Reads users[].user.exec. The command and `where` stay as they are in the file: without the file's name.
/// Upstream: validateAuthInfo of client-go's tools/clientcmd/validation.go v0.37.0.
bool read_fields(const Reader& reader, ExecPlugin& plugin);

/// Reads clusters[].cluster: the fields for plugins.
bool read_cluster_for_plugins(const Reader& cluster, ExecPlugin& plugin);

}  // namespace winnow::live
