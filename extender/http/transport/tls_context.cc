#include "extender/http/transport/tls_context.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <format>
#include <string_view>

#include "cluster/access/pem.h"

namespace winnow::http {
namespace {

using Done = std::expected<void, std::string>;

// The cipher suites of Go's crypto/tls that component-base lists as preferred, in Go's order for TLS 1.2.
constexpr auto kPreferred = std::to_array<std::string_view>({
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA",
    "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
    "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
});
// Those that it lists as insecure, and that OpenSSL has. Those with RC4 and 3DES it does not have.
constexpr auto kInsecure = std::to_array<std::string_view>({
    "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
    "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA256",
    "TLS_RSA_WITH_AES_128_CBC_SHA",
    "TLS_RSA_WITH_AES_128_CBC_SHA256",
    "TLS_RSA_WITH_AES_128_GCM_SHA256",
    "TLS_RSA_WITH_AES_256_CBC_SHA",
    "TLS_RSA_WITH_AES_256_GCM_SHA384",
});
constexpr auto kOfTls13 = std::to_array<std::string_view>({
    "TLS_AES_128_GCM_SHA256",
    "TLS_AES_256_GCM_SHA384",
    "TLS_CHACHA20_POLY1305_SHA256",
});
// Older names, which component-base takes too.
constexpr std::string_view kOldEnd = "_WITH_CHACHA20_POLY1305";

/// Refuses a client whose subject has several common names. Go reads the last one and OpenSSL finds the
/// first, so the two would take it for different clients.
int check_client(int good, X509_STORE_CTX* verified) {
  if (good != 1 || X509_STORE_CTX_get_error_depth(verified) != 0) return good;
  const X509_NAME* const subject = X509_get_subject_name(X509_STORE_CTX_get_current_cert(verified));
  const int first = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (first < 0 || X509_NAME_get_index_by_NID(subject, NID_commonName, first) < 0) return good;
  X509_STORE_CTX_set_error(verified, X509_V_ERR_CERT_REJECTED);
  return 0;
}

Done ask_clients(SSL_CTX* context, const std::string& authority) {
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  const auto count = live::for_each_certificate(authority, "the client authority", [&](X509* certificate) {
    X509_STORE_add_cert(store, certificate);
    SSL_CTX_add_client_CA(context, certificate);
  });
  if (!count) return std::unexpected(count.error());
  if (*count == 0) return std::unexpected("the client authority holds no certificate in PEM");
  // A certificate of the authority is a trust anchor even if it is not self-signed, as in Go.
  X509_VERIFY_PARAM_set_flags(SSL_CTX_get0_param(context), X509_V_FLAG_PARTIAL_CHAIN);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, check_client);
  return {};
}

/// OpenSSL's name of a suite; "": it has none of that name.
std::string_view name_in_openssl(const SSL_CTX* context, std::string_view iana) {
  const STACK_OF(SSL_CIPHER)* const known = SSL_CTX_get_ciphers(context);
  for (int i = 0; i < sk_SSL_CIPHER_num(known); ++i) {
    const SSL_CIPHER* const cipher = sk_SSL_CIPHER_value(known, i);
    const char* const name = SSL_CIPHER_standard_name(cipher);
    if (name != nullptr && iana == name) return SSL_CIPHER_get_name(cipher);
  }
  return {};
}

Done take_suites(SSL_CTX* context, std::vector<std::string> suites) {
  if (suites.empty()) suites.assign(kPreferred.begin(), kPreferred.end());
  SSL_CTX_set_cipher_list(context, "ALL");
  std::string list;
  for (std::string& suite : suites) {
    if (std::ranges::contains(kOfTls13, suite)) continue;
    if (suite.ends_with(kOldEnd)) suite += "_SHA256";
    const bool listed = std::ranges::contains(kPreferred, suite) || std::ranges::contains(kInsecure, suite);
    const std::string_view name = listed ? name_in_openssl(context, suite) : std::string_view();
    if (name.empty()) return std::unexpected(std::format("no cipher suite \"{}\" is spoken here", suite));
    list.append(list.empty() ? "" : ":").append(name);
  }
  if (list.empty())
    SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);  // As in Go: TLS 1.2 has no suite left.
  else
    SSL_CTX_set_cipher_list(context, list.c_str());
  return {};
}

/// Takes "http/1.1" of what the client offers. A client that offers others alone gets none, and may go on.
int choose_protocol(SSL*, const unsigned char** chosen, unsigned char* length, const unsigned char* offered,
                    unsigned int offered_length, void*) {
  constexpr std::string_view kHttp = "http/1.1";
  for (unsigned at = 0; at < offered_length; at += 1 + offered[at]) {
    const std::string_view name(reinterpret_cast<const char*>(offered) + at + 1, offered[at]);
    if (name != kHttp) continue;
    *chosen = offered + at + 1;
    *length = offered[at];
    return SSL_TLSEXT_ERR_OK;
  }
  return SSL_TLSEXT_ERR_NOACK;
}

}  // namespace

std::expected<std::shared_ptr<const TlsContext>, std::string> TlsContext::make(const TlsMaterial& material,
                                                                               const TlsSettings& settings) {
  ERR_clear_error();
  SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
  if (context == nullptr) return std::unexpected("OpenSSL does not start");
  std::shared_ptr<const TlsContext> made(new TlsContext(context));
  SSL_CTX_set_min_proto_version(context, settings.only_tls13 ? TLS1_3_VERSION : TLS1_2_VERSION);
  // Without resumption each new connection is checked by the authorities in force.
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                SSL_MODE_RELEASE_BUFFERS);
  SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);

  Done done = take_suites(context, settings.cipher_suites);
  if (done) done = live::present(context, material.certificate, material.key, "the ");
  if (done && !material.client_authority.empty()) done = ask_clients(context, material.client_authority);
  ERR_clear_error();
  if (!done) return std::unexpected(done.error());
  return made;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

}  // namespace winnow::http
