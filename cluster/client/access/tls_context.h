// The TLS settings that all connections with one set of certificates share, and PEM for OpenSSL contexts.
#pragma once

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <cstddef>
#include <expected>
#include <memory>
#include <string>
#include <string_view>

#include "cluster/function_ref.h"

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

// Internal: certificates and keys in PEM, for OpenSSL contexts. Only .cc files include this.

/// Calls `take` with each certificate of the text, in order.
/// @return how many there are, or an error: "`what` holds a certificate that cannot be read".
std::expected<std::size_t, std::string> for_each_certificate(const std::string& text, std::string_view what,
                                                             FunctionRef<void(X509*)> take);

/// Has the context present the certificate, its chain and its key. @param whose  begins the errors: "the
/// client " or "the ". The errors have no part of the texts.
std::expected<void, std::string> present(SSL_CTX* context, const std::string& certificate,
                                         const std::string& key, std::string_view whose);

}  // namespace winnow::live
