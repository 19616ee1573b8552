// The API servers that a client uses, and its credentials, with the plugin or account that they come from.
// kubeconfig.h reads the plugin of users[].user.exec, exec_credential.h runs it.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
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

// The API servers that a client uses, and its credentials.
//
// cluster/client/access determines them. client_flags.h starts from the command line. kubeconfig.h reads the
// file that it names, and this header a pod's account. exec_credential.h runs the plugin of a kubeconfig.
// credentials.h keeps the token and the certificates fresh. tls_context.h is the part that TLS connections
// share. server_url.h parses the address of a server.

/// Bytes from a file, which is read again later, or given inline. `data` takes precedence over `file`. Both
/// empty: none.
struct FileOrData {
  std::string file;
  std::string data;
  bool empty() const { return file.empty() && data.empty(); }
};

/// The contents of a kubeconfig or a service account. It holds secrets: only `servers`, `warnings` and names
/// of files may be logged.
struct ClientConfig {
  std::vector<std::string> servers;       ///< URLs that parse_server_url() accepts; at least one.
  FileOrData certificate_authority;       ///< PEM; none: the system's trusted certificates.
  std::string tls_server_name;            ///< The name in the servers' certificates; "": the URL's host.
  bool insecure_skip_tls_verify = false;  ///< If set, certificate_authority is none.
  FileOrData client_certificate;          ///< PEM, with the chain; needs client_key.
  FileOrData client_key;                  ///< PEM, not encrypted.
  std::string token;                      ///< Used until token_file has been read.
  std::string token_file;
  std::string username;  ///< For basic authentication, used without a token.
  std::string password;
  /// Of a kubeconfig's user. It is not run here: find_client_config() replaces it by what it prints.
  std::optional<ExecPlugin> exec;
  std::string context_namespace;      ///< Of the kubeconfig's context; "": it has none.
  std::vector<std::string> warnings;  ///< One line each, for the log.
};

// A pod's service account, read into a ClientConfig.

/// The folder of a pod's service account.
inline constexpr const char* kServiceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The config of a pod's service account. The server is
/// https://KUBERNETES_SERVICE_HOST:KUBERNETES_SERVICE_PORT. The token and the certificate authority are the
/// files `token` and `ca.crt` in the folder. Upstream: InClusterConfig of client-go's rest/config.go v0.37.0.
/// It only logs a missing certificate authority. Here that is an error: a token is never sent to a server
/// that is not verified.
std::expected<ClientConfig, std::string> load_service_account(
    const std::string& folder = kServiceAccountFolder);

}  // namespace winnow::live
