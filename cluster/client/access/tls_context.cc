#include "cluster/client/access/tls_context.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <format>
#include <memory>
#include <string_view>

#include "cluster/function_ref.h"

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

namespace {

template <auto kFree>
struct Free {
  template <class T>
  void operator()(T* object) const {
    kFree(object);
  }
};
using Bio = std::unique_ptr<BIO, Free<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Free<X509_free>>;
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY_free>>;

Bio reader_of(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

/// Without this OpenSSL would ask for a password at the terminal.
int no_password(char*, int, int, void*) { return -1; }

Certificate next_certificate(const Bio& bio) {
  return Certificate(PEM_read_bio_X509_AUX(bio.get(), nullptr, no_password, nullptr));
}

/// Whether reading ended at the end of the text, and not at an error.
bool at_end() {
  const bool end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  return end;
}

}  // namespace

std::expected<std::size_t, std::string> for_each_certificate(const std::string& text, std::string_view what,
                                                             FunctionRef<void(X509*)> take) {
  const Bio bio = reader_of(text);
  std::size_t count = 0;
  for (; const Certificate certificate = next_certificate(bio); ++count) take(certificate.get());
  if (!at_end()) return std::unexpected(std::format("{} holds a certificate that cannot be read", what));
  return count;
}

std::expected<void, std::string> present(SSL_CTX* context, const std::string& certificate,
                                         const std::string& key, std::string_view whose) {
  const auto error = [&](std::string_view text) { return std::unexpected(std::format("{}{}", whose, text)); };
  const Bio bio = reader_of(certificate);
  const Certificate own = next_certificate(bio);
  if (own == nullptr) return error("certificate is not a certificate in PEM");
  if (SSL_CTX_use_certificate(context, own.get()) != 1)
    return error("certificate cannot be used: is its key too short?");
  while (Certificate link = next_certificate(bio))
    if (SSL_CTX_add0_chain_cert(context, link.get()) == 1) static_cast<void>(link.release());
  if (!at_end()) return error("certificate's chain cannot be read");
  const Bio key_bio = reader_of(key);
  const Key read(PEM_read_bio_PrivateKey(key_bio.get(), nullptr, no_password, nullptr));
  if (read == nullptr) return error("key is not a private key in PEM without a password");
  if (SSL_CTX_use_PrivateKey(context, read.get()) != 1 || SSL_CTX_check_private_key(context) != 1)
    return error(std::format("certificate and {}key do not belong together", whose));
  return {};
}

}  // namespace winnow::live
