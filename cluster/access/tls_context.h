// The TLS settings that all connections with one set of certificates share.
#pragma once

#include <expected>
#include <memory>
#include <string>

struct ssl_ctx_st;

namespace winnow::live {

/// The PEM texts and settings of a context.
struct TlsMaterial {
  std::string authority;    ///< "": the system's trusted certificates.
  std::string certificate;  ///< With its chain; "": no client certificate is sent.
  std::string key;
  bool verify = true;
  bool operator==(const TlsMaterial&) const = default;
};

/// An OpenSSL context for TLS 1.2 and later, without renegotiation. A certificate of the authority is a trust
/// anchor even if it is not self-signed, as in Go. Immutable; any thread.
class TlsContext {
 public:
  /// @return the context, or an error without any of the material's text.
  static std::expected<std::shared_ptr<const TlsContext>, std::string> make(const TlsMaterial& material);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  ssl_ctx_st* get() const { return context_; }

 private:
  explicit TlsContext(ssl_ctx_st* context) : context_(context) {}
  ssl_ctx_st* context_;  ///< Owned.
};

}  // namespace winnow::live
