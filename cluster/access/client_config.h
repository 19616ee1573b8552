// How a client reaches the API servers: which they are, and its credentials.
//
// cluster/access finds this out. client_flags.h starts from the command line, kubeconfig.h and
// service_account.h read what it names. credentials.h keeps token and certificates fresh, tls_context.h is
// what TLS connections share, and server_url.h reads the address of a server.
#pragma once

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

}  // namespace winnow::live
