// A blocking HTTPS client for tests of the server.
#pragma once

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "tests/cluster/client/transport/certificates.h"
#include "tests/extender/service/http/client.h"

namespace winnow::http::test {

struct TlsOptions {
  std::string authority;                           ///< "": the server's certificate is not checked
  std::optional<live::test::Identity> identity{};  ///< what the client shows
  int version = 0;                                 ///< the one that it speaks; 0: any
  std::string suites{};                            ///< OpenSSL's names for TLS 1.2
  bool offers_http2 = false;
};

class TlsClient {
 public:
  explicit TlsClient(std::uint16_t port, const TlsOptions& options = {})
      : fd_(connect_to(port)), context_(SSL_CTX_new(TLS_client_method())) {
    set(options);
    session_ = SSL_new(context_);
    SSL_set_fd(session_, fd_);
    connected_ = SSL_connect(session_) == 1;
    ERR_clear_error();
  }
  ~TlsClient() {
    if (session_ == nullptr) return;
    SSL_free(session_);
    SSL_CTX_free(context_);
    ::close(fd_);
  }
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;
  TlsClient(TlsClient&& other) noexcept
      : fd_(other.fd_),
        context_(std::exchange(other.context_, nullptr)),
        session_(std::exchange(other.session_, nullptr)),
        connected_(other.connected_),
        rest_(std::move(other.rest_)) {}

  /// Whether the handshake is over. With TLS 1.3 the server may refuse the client's certificate afterwards.
  bool connected() const { return connected_; }
  SSL* session() const { return session_; }

  void send(std::string_view bytes) {
    std::size_t sent = 0;
    for (; connected_ && !bytes.empty(); bytes.remove_prefix(sent))
      if (SSL_write_ex(session_, bytes.data(), bytes.size(), &sent) != 1) return ERR_clear_error();
  }
  Answer receive() {
    Answer answer;
    while (!rest_.contains("\r\n\r\n"))
      if (!more()) return answer;
    const auto end = rest_.find("\r\n\r\n") + 4;
    answer.head = rest_.substr(0, end);
    const auto at = answer.head.find("Content-Length: ");
    const std::size_t length = at == std::string::npos ? 0 : std::stoul(answer.head.substr(at + 16));
    while (rest_.size() < end + length)
      if (!more()) return answer;
    answer.body = rest_.substr(end, length);
    rest_.erase(0, end + length);
    answer.status = std::stoi(answer.head.substr(9, 3));
    return answer;
  }
  Answer ask(std::string_view request) {
    send(request);
    return receive();
  }
  bool sees_end() { return rest_.empty() && !more(); }

 private:
  static int connect_to(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const timeval deadline{60, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &deadline, sizeof deadline);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::connect(fd, reinterpret_cast<const sockaddr*>(&to), sizeof to);
    return fd;
  }
  void set(const TlsOptions& options) {
    SSL_CTX_set_min_proto_version(context_, options.version);
    SSL_CTX_set_max_proto_version(context_, options.version);
    if (!options.suites.empty()) SSL_CTX_set_cipher_list(context_, options.suites.c_str());
    if (!options.authority.empty()) {
      BIO* const bio = BIO_new_mem_buf(options.authority.data(), static_cast<int>(options.authority.size()));
      X509* const authority = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
      X509_STORE_add_cert(SSL_CTX_get_cert_store(context_), authority);
      X509_free(authority);
      BIO_free(bio);
      SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
    }
    if (options.identity) show(*options.identity);
    constexpr std::string_view kBoth = "\x02h2\x08http/1.1";
    if (options.offers_http2)
      SSL_CTX_set_alpn_protos(context_, reinterpret_cast<const unsigned char*>(kBoth.data()), kBoth.size());
  }
  void show(const live::test::Identity& identity) {
    BIO* const text =
        BIO_new_mem_buf(identity.certificate.data(), static_cast<int>(identity.certificate.size()));
    X509* const certificate = PEM_read_bio_X509(text, nullptr, nullptr, nullptr);
    SSL_CTX_use_certificate(context_, certificate);
    X509_free(certificate);
    BIO_free(text);
    BIO* const key_text = BIO_new_mem_buf(identity.key.data(), static_cast<int>(identity.key.size()));
    EVP_PKEY* const key = PEM_read_bio_PrivateKey(key_text, nullptr, nullptr, nullptr);
    SSL_CTX_use_PrivateKey(context_, key);
    EVP_PKEY_free(key);
    BIO_free(key_text);
  }
  bool more() {
    char buffer[65536];
    std::size_t got = 0;
    const bool read = connected_ && SSL_read_ex(session_, buffer, sizeof buffer, &got) == 1;
    ERR_clear_error();
    rest_.append(buffer, got);
    return read;
  }

  int fd_;
  SSL_CTX* context_;
  SSL* session_ = nullptr;
  bool connected_ = false;
  std::string rest_;
};

}  // namespace winnow::http::test
