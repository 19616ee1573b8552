// Who we are to the API servers, and which they are.
#pragma once

#include <expected>
#include <string>
#include <vector>

namespace winnow::live {

/// Bytes from a file, which is read again as it changes, or given at once: `data` beats `file`. Both empty:
/// none.
struct FileOrData {
  std::string file;
  std::string data;
  bool empty() const { return file.empty() && data.empty(); }
};

/// What a kubeconfig or a service account says. Holds secrets: nothing of it goes into a log but `servers`,
/// `warnings` and the names of files.
struct ClientConfig {
  std::vector<std::string> servers;       ///< URLs that parse_server_url() takes; at least one.
  FileOrData certificate_authority;       ///< PEM; none: what the system trusts.
  std::string tls_server_name;            ///< To be in the servers' certificates; "": the URL's host.
  bool insecure_skip_tls_verify = false;  ///< Then certificate_authority is none.
  FileOrData client_certificate;          ///< PEM, the chain included; has a client_key.
  FileOrData client_key;                  ///< PEM, not encrypted.
  std::string token;                      ///< Sent while token_file cannot be read.
  std::string token_file;
  std::string username;  ///< Basic authentication, where there is neither token.
  std::string password;
  std::vector<std::string> warnings;  ///< One line each, for the log.
};

/// What the command line says of it.
struct ClientFlags {
  std::string kubeconfig;            ///< --kubeconfig
  std::string context;               ///< --context; "": the file's current one.
  std::vector<std::string> masters;  ///< --master URL, repeatable: instead of the servers that are found.
};

/// The folder that a pod finds its service account in.
inline constexpr const char* kServiceAccountFolder = "/var/run/secrets/kubernetes.io/serviceaccount";

/// The kubeconfig if one is named, else the service account in a pod (KUBERNETES_SERVICE_HOST is set), else
/// the masters with no credentials (a kubectl proxy). Upstream: BuildConfigFromFlags of client-go's
/// clientcmd, which sends no credentials to a master in a pod; here they go there, under TLS as always.
/// @return or one line: the file or flag, the field, what was expected.
std::expected<ClientConfig, std::string> find_client_config(const ClientFlags& flags);

}  // namespace winnow::live
