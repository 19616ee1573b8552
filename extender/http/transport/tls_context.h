// The TLS settings that all connections with one certificate share.
#pragma once

#include <expected>
#include <memory>
#include <string>
#include <vector>

struct ssl_ctx_st;

namespace winnow::http {

/// The PEM texts of a context.
struct TlsMaterial {
  std::string certificate;       ///< the server's, with its chain
  std::string key;               ///< without a password
  std::string client_authority;  ///< "": no client is asked for a certificate
  bool operator==(const TlsMaterial&) const = default;
};

struct TlsSettings {
  bool only_tls13 = false;  ///< otherwise TLS 1.2 too
  /// IANA's names, by preference. Empty: those that Go takes by default. As in Go they are for TLS 1.2; names
  /// of TLS 1.3 are accepted, and change nothing.
  std::vector<std::string> cipher_suites;
};

/// An OpenSSL context of a server, without renegotiation and resumption. A client's certificate is asked for,
/// but not required. One that is shown must be of the client authority, for clients, and with one common name
/// at most. Immutable; any thread.
class TlsContext {
 public:
  /// @return the context, or an error of one line without any of the material's text.
  static std::expected<std::shared_ptr<const TlsContext>, std::string> make(const TlsMaterial& material,
                                                                            const TlsSettings& settings);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  ssl_ctx_st* get() const { return context_; }

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}
  ssl_ctx_st* context_;  ///< Owned.
};

}  // namespace winnow::http
