// The flags of TLS on the port for calls.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace winnow {

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

/// Adds the flags to `winnow serve`. Its help shows those of files; --help-tls shows the others.
void add_tls(CLI::App& serve, TlsFlags& flags);

/// The error for TLS flags that contradict each other or lack one another; "": none.
std::string wrong_tls_flags(const TlsFlags& flags);

}  // namespace winnow
