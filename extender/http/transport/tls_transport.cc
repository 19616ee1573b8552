#include "extender/http/transport/tls_transport.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <string>
#include <utility>

#include "cluster/transport/socket_bio.h"

namespace winnow::http {
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

  // Without a certificate the result is X509_V_OK too. With one that is not verified there is no session.
  ClientNames client_names() const override {
    const X509* const certificate = session_ != nullptr ? SSL_get0_peer_certificate(session_) : nullptr;
    if (certificate == nullptr || SSL_get_verify_result(session_) != X509_V_OK) return {};
    return names_in(certificate);
  }

 private:
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
