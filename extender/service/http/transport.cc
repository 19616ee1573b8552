#include "extender/service/http/transport.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <format>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/client/access/tls_context.h"
#include "cluster/client/transport/sockets.h"

namespace winnow::http {
namespace {

class PlainTransport final : public Transport {
 public:
  explicit PlainTransport(int fd) : fd_(fd) {}
  ~PlainTransport() override { ::close(fd_); }
  PlainTransport(const PlainTransport&) = delete;
  PlainTransport& operator=(const PlainTransport&) = delete;

  int fd() const override { return fd_; }

  Io read(std::span<char> into) override {
    while (true) {
      const auto got = ::recv(fd_, into.data(), into.size(), 0);
      if (got > 0) {
        const auto bytes = static_cast<std::size_t>(got);
        return {Io::Kind::kDone, bytes, bytes < into.size()};
      }
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return {Io::Kind::kWantRead};
      return {Io::Kind::kClosed};
    }
  }

  Io write(std::string_view bytes) override {
    while (true) {
      const auto sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent >= 0) return {Io::Kind::kDone, static_cast<std::size_t>(sent)};
      if (errno == EINTR) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return {Io::Kind::kWantWrite};
      return {Io::Kind::kClosed};
    }
  }

  void finish_writing() override { ::shutdown(fd_, SHUT_WR); }

 private:
  int fd_;
};

}  // namespace

std::unique_ptr<Transport> make_plain_transport(int fd) { return std::make_unique<PlainTransport>(fd); }

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

namespace {

CertificateEnd end_of(const X509* certificate) {
  std::tm utc{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &utc) != 1) return {};
  return std::chrono::sys_seconds(std::chrono::seconds(timegm(&utc)));
}

}  // namespace

CertificateEnd TlsContext::certificate_end() const { return end_of(SSL_CTX_get0_certificate(context_)); }

namespace {

std::string text_of(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

std::vector<std::string> names_in(const X509* certificate) {
  std::vector<std::string> names;
  const X509_NAME* const subject = X509_get_subject_name(certificate);
  if (const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1); at >= 0)
    names.push_back(text_of(X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at))));
  const std::unique_ptr<GENERAL_NAMES, decltype(&GENERAL_NAMES_free)> others(
      static_cast<GENERAL_NAMES*>(X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr)),
      GENERAL_NAMES_free);
  for (int i = 0; i < sk_GENERAL_NAME_num(others.get()); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(others.get(), i);
    if (name->type == GEN_DNS) names.push_back(text_of(name->d.dNSName));
  }
  return names;
}

class TlsTransport final : public Transport {
 public:
  TlsTransport(int fd, std::shared_ptr<const TlsContext> context)
      : socket_{.fd = fd}, context_(std::move(context)) {}
  ~TlsTransport() override {
    // Sends TLS's close_notify, if the socket takes it at once.
    if (!broken_ && established()) SSL_shutdown(session_);
    SSL_free(session_);
    ERR_clear_error();
    ::close(socket_.fd);
  }
  TlsTransport(const TlsTransport&) = delete;
  TlsTransport& operator=(const TlsTransport&) = delete;

  int fd() const override { return socket_.fd; }

  Io read(std::span<char> into) override {
    if (session_ == nullptr)
      if (const Io io = begin(); io.kind != Io::Kind::kDone) return io;
    if (broken_) return {Io::Kind::kClosed};
    ERR_clear_error();
    std::size_t got = 0;
    const int result = SSL_read_ex(session_, into.data(), into.size(), &got);
    return result == 1 ? Io{Io::Kind::kDone, got} : after(result);
  }

  Io write(std::string_view bytes) override {
    if (session_ == nullptr)
      if (const Io io = begin(); io.kind != Io::Kind::kDone) return io;
    if (broken_) return {Io::Kind::kClosed};
    ERR_clear_error();
    std::size_t sent = 0;
    const int result = SSL_write_ex(session_, bytes.data(), bytes.size(), &sent);
    return result == 1 ? Io{Io::Kind::kDone, sent} : after(result);
  }

  void finish_writing() override {
    if (!broken_ && established()) SSL_shutdown(session_);
    ERR_clear_error();
    ::shutdown(socket_.fd, SHUT_WR);
  }

  bool established() const override { return session_ != nullptr && SSL_is_init_finished(session_) == 1; }
  bool has_pending() const override { return session_ != nullptr && !broken_ && SSL_pending(session_) > 0; }

  ClientNames client_names() const override {
    const X509* const certificate = verified_certificate();
    return certificate != nullptr ? ClientNames(names_in(certificate)) : ClientNames();
  }
  CertificateEnd client_certificate_end() const override { return end_of(verified_certificate()); }

 private:
  /// The client's certificate; null: it has shown none.
  // Without a certificate the result is X509_V_OK too. With one that is not verified there is no session.
  const X509* verified_certificate() const {
    if (session_ == nullptr || SSL_get_verify_result(session_) != X509_V_OK) return nullptr;
    return SSL_get0_peer_certificate(session_);
  }

  /// Makes the session, which takes tens of kilobytes, when the client has sent a first byte. @return kDone:
  /// it is there, or broken.
  Io begin() {
    char first = 0;
    const auto got = ::recv(socket_.fd, &first, 1, MSG_PEEK);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return {Io::Kind::kWantRead};
    if (got <= 0) return {Io::Kind::kClosed};
    BIO* const bio = live::make_socket_bio(socket_);
    session_ = SSL_new(context_->get());
    if (session_ == nullptr || bio == nullptr) {
      BIO_free(bio);
      broken_ = true;
      return {Io::Kind::kClosed};
    }
    SSL_set_bio(session_, bio, bio);
    SSL_set_accept_state(session_);
    return {Io::Kind::kDone};
  }

  Io after(int result) {
    switch (SSL_get_error(session_, result)) {
      case SSL_ERROR_WANT_READ:
        return {Io::Kind::kWantRead};
      case SSL_ERROR_WANT_WRITE:
        return {Io::Kind::kWantWrite};
      case SSL_ERROR_SSL:
        broken_ = true;
        return {established() || has_ended() ? Io::Kind::kClosed : Io::Kind::kRefused};
      case SSL_ERROR_ZERO_RETURN:
        return {Io::Kind::kClosed};
      default:
        broken_ = true;
        return {Io::Kind::kClosed};
    }
  }
  /// Whether the peer has closed without a word of TLS. Probes of the port do.
  static bool has_ended() {
    return ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_UNEXPECTED_EOF_WHILE_READING;
  }

  live::Socket socket_;
  std::shared_ptr<const TlsContext> context_;
  SSL* session_ = nullptr;  // null: the client has sent nothing yet
  bool broken_ = false;     // OpenSSL may not be called again
};

}  // namespace

std::unique_ptr<Transport> make_tls_transport(int fd, std::shared_ptr<const TlsContext> context) {
  return std::make_unique<TlsTransport>(fd, std::move(context));
}

}  // namespace winnow::http
