#include "cluster/access/tls_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <string_view>

#include "cluster/access/pem.h"

namespace winnow::live {
namespace {

using Outcome = std::expected<void, std::string>;

Outcome trust(SSL_CTX* context, const std::string& authority) {
  if (authority.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    return {};
  }
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  const auto count = for_each_certificate(authority, "the certificate authority", [&](X509* certificate) {
    X509_STORE_add_cert(store, certificate);
  });
  if (!count) return std::unexpected(count.error());
  if (*count == 0) return std::unexpected("the certificate authority holds no certificate in PEM");
  return {};
}

}  // namespace

std::expected<std::shared_ptr<const TlsContext>, std::string> TlsContext::make(const TlsMaterial& material) {
  ERR_clear_error();
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  if (context == nullptr) return std::unexpected("OpenSSL does not start");
  std::shared_ptr<const TlsContext> made(new TlsContext(context));
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION);
  SSL_CTX_set_mode(context, SSL_MODE_AUTO_RETRY | SSL_MODE_ENABLE_PARTIAL_WRITE |
                                SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_verify(context, material.verify ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
  constexpr std::string_view kHttp = "\x08http/1.1";
  SSL_CTX_set_alpn_protos(context, reinterpret_cast<const unsigned char*>(kHttp.data()), kHttp.size());

  Outcome outcome = material.verify ? trust(context, material.authority) : Outcome{};
  if (outcome && !material.certificate.empty())
    outcome = present(context, material.certificate, material.key, "the client ");
  ERR_clear_error();
  if (!outcome) return std::unexpected(outcome.error());
  return made;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

}  // namespace winnow::live
