#include "tests/cluster/client/transport/tls_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>
#include <chrono>
#include <format>
#include <stdexcept>

namespace winnow::live::test {
namespace {

SSL_CTX* make_context(const Identity& identity, const std::string& client_authority) {
  SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
  BIO* const certificate_bio = BIO_new_mem_buf(identity.certificate.data(), -1);
  BIO* const key_bio = BIO_new_mem_buf(identity.key.data(), -1);
  X509* const certificate = PEM_read_bio_X509(certificate_bio, nullptr, nullptr, nullptr);
  EVP_PKEY* const key = PEM_read_bio_PrivateKey(key_bio, nullptr, nullptr, nullptr);
  SSL_CTX_use_certificate(context, certificate);
  SSL_CTX_use_PrivateKey(context, key);
  if (!client_authority.empty()) {
    BIO* const bio = BIO_new_mem_buf(client_authority.data(), -1);
    X509* const authority = PEM_read_bio_X509(bio, nullptr, nullptr, nullptr);
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
    X509_free(authority);
    BIO_free(bio);
  }
  EVP_PKEY_free(key);
  X509_free(certificate);
  BIO_free(key_bio);
  BIO_free(certificate_bio);
  return context;
}

std::string common_name(SSL* session) {
  X509* const certificate = session == nullptr ? nullptr : SSL_get1_peer_certificate(session);
  if (certificate == nullptr) return "";
  char text[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text, sizeof text);
  X509_free(certificate);
  return text;
}

std::size_t content_length(std::string_view head) {
  constexpr std::string_view kName = "Content-Length: ";
  const std::size_t at = head.find(kName);
  std::size_t length = 0;
  if (at != std::string_view::npos)
    std::from_chars(head.data() + at + kName.size(), head.data() + head.size(), length);
  return length;
}

}  // namespace

std::string answer(std::string_view body, std::string_view status, std::string_view headers) {
  return std::format("HTTP/1.1 {}\r\n{}Content-Length: {}\r\n\r\n{}", status, headers, body.size(), body);
}

bool Peer::read_more() {
  char bytes[16 * 1024];
  const auto got = session_ != nullptr ? SSL_read(session_, bytes, sizeof bytes)
                                       : static_cast<int>(::recv(fd_, bytes, sizeof bytes, 0));
  if (got <= 0) return false;
  buffer_.append(bytes, static_cast<std::size_t>(got));
  return true;
}

std::optional<Request> Peer::read_request() {
  std::size_t end = 0;
  while ((end = buffer_.find("\r\n\r\n")) == std::string::npos)
    if (!read_more()) return std::nullopt;
  Request request;
  request.head = buffer_.substr(0, end + 4);
  const std::size_t whole = request.head.size() + content_length(request.head);
  while (buffer_.size() < whole)
    if (!read_more()) return std::nullopt;
  request.body = buffer_.substr(request.head.size(), whole - request.head.size());
  request.client = common_name(session_);
  buffer_.erase(0, whole);
  return request;
}

void Peer::write(std::string_view bytes) {
  if (session_ != nullptr) {
    SSL_write(session_, bytes.data(), static_cast<int>(bytes.size()));
  } else {
    ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
}

bool Peer::wait_for_close(std::chrono::milliseconds limit) {
  const auto until = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < until) {
    pollfd waited{fd_, POLLIN, 0};
    if (::poll(&waited, 1, 20) > 0 && !read_more()) return true;
  }
  return false;
}

void Peer::reset() {
  const linger now{1, 0};
  ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  if (session_ != nullptr) SSL_set_quiet_shutdown(session_, 1);
}

TlsServer::TlsServer(Options options, Handler handler)
    : options_(std::move(options)), handler_(std::move(handler)) {
  if (options_.identity) context_ = make_context(*options_.identity, options_.client_authority);
  const bool v6 = options_.address.contains(':');
  sockaddr_in6 six{.sin6_family = AF_INET6};
  sockaddr_in four{.sin_family = AF_INET};
  ::inet_pton(AF_INET6, options_.address.c_str(), &six.sin6_addr);
  ::inet_pton(AF_INET, options_.address.c_str(), &four.sin_addr);
  listener_ = ::socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto* const address = v6 ? reinterpret_cast<sockaddr*>(&six) : reinterpret_cast<sockaddr*>(&four);
  socklen_t size = v6 ? sizeof six : sizeof four;
  if (::bind(listener_, address, size) != 0 || ::listen(listener_, 256) != 0) {
    SSL_CTX_free(context_);
    ::close(listener_);
    throw std::runtime_error("cannot listen on " + options_.address);
  }
  ::getsockname(listener_, address, &size);
  port_ = ntohs(v6 ? six.sin6_port : four.sin_port);
  acceptor_ = std::jthread([this] { accept_all(); });
}

TlsServer::~TlsServer() {
  ending_ = true;
  ::shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close_connections();
  threads_.clear();
  ::close(listener_);
  SSL_CTX_free(context_);
}

std::string TlsServer::url(std::string_view host) const {
  const std::string own = options_.address.contains(':') ? "[" + options_.address + "]" : options_.address;
  return std::format("{}://{}:{}", options_.identity ? "https" : "http", host.empty() ? own : host, port_);
}

std::vector<Request> TlsServer::requests() const {
  const std::lock_guard lock(mutex_);
  return requests_;
}

void TlsServer::set_identity(const Identity& identity) {
  SSL_CTX* const made = make_context(identity, options_.client_authority);
  const std::lock_guard lock(mutex_);
  SSL_CTX_free(context_);
  context_ = made;
}

void TlsServer::close_connections() {
  const std::lock_guard lock(mutex_);
  for (const int fd : fds_) ::shutdown(fd, SHUT_RDWR);
}

void TlsServer::accept_all() {
  while (!ending_) {
    const int fd = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    ++connections_;
    ++open_;
    const std::lock_guard lock(mutex_);
    fds_.insert(fd);
    threads_.emplace_back([this, fd] { serve(fd); });
  }
}

void TlsServer::serve(int fd) {
  // OpenSSL's socket BIO raises it; in the threads of the client it must not be blocked.
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);

  Peer peer;
  peer.fd_ = fd;
  bool good = true;
  if (options_.identity) {
    {
      const std::lock_guard lock(mutex_);
      peer.session_ = SSL_new(context_);
    }
    SSL_set_fd(peer.session_, fd);
    good = SSL_accept(peer.session_) == 1;
  }
  while (good) {
    const auto request = peer.read_request();
    if (!request) break;
    {
      const std::lock_guard lock(mutex_);
      requests_.push_back(*request);
    }
    if (handler_ != nullptr) {
      good = handler_(peer, *request);
    } else {
      peer.write(answer("{}"));
    }
  }
  if (peer.session_ != nullptr) {
    SSL_shutdown(peer.session_);
    SSL_free(peer.session_);
  }
  const std::lock_guard lock(mutex_);
  fds_.erase(fd);
  ::close(fd);
  --open_;
}

}  // namespace winnow::live::test
