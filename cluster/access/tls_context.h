// What all TLS connections of one set of certificates share.
#pragma once

#include <expected>
#include <memory>
#include <string>

struct ssl_ctx_st;

namespace winnow::live {

/// The texts that a context is made of, PEM.
struct TlsMaterial {
  std::string authority;    ///< "": what the system trusts.
  std::string certificate;  ///< With its chain; "": none is presented.
  std::string key;
  bool verify = true;
  bool operator==(const TlsMaterial&) const = default;
};

/// TLS 1.2 and later, without renegotiation. A certificate of the authority is an end of trust whether it
/// signed itself or not, as in Go. Immutable, any thread.
class TlsContext {
 public:
  /// @return or what is wrong, without any of the material's text.
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
