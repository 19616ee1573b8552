// The API servers that a client uses, and its credentials.
//
// cluster/access determines them. client_flags.h starts from the command line. kubeconfig.h and
// service_account.h read what it names. exec_credential.h runs the plugin that a kubeconfig names.
// credentials.h keeps the token and the certificates fresh. tls_context.h is the part that TLS connections
// share. server_url.h parses the address of a server.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cluster/access/exec_plugin.h"

namespace winnow::live {

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

}  // namespace winnow::live
