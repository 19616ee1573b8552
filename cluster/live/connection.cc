#include "cluster/live/connection.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <format>
#include <utility>

#include "cluster/live/connect_socket.h"

namespace winnow::live {

namespace {

using Fault = Connection::Fault;

std::unexpected<TransportError> unreachable(std::string message) {
  return std::unexpected(TransportError{TransportError::Kind::kUnreachable, std::move(message)});
}

/// A failure to connect: whoever stopped it, the server has seen nothing of the request.
std::unexpected<TransportError> failed(const Patience& patience, std::string message) {
  if (patience.check() == Patience::End::kStopped)
    return std::unexpected(TransportError{TransportError::Kind::kStopped, "stopped"});
  return unreachable(std::move(message));
}

/// A handshake that one side has ended.
std::unexpected<TransportError> not_shaken(std::string message) {
  return std::unexpected(
      TransportError{TransportError::Kind::kUnreachable, std::move(message), /*handshake_failed=*/true});
}

/// What the certificate must hold. @return whether it will be asked for: without, any name would do.
bool expect_name(SSL* session, const std::string& name) {
  X509_VERIFY_PARAM* const rules = SSL_get0_param(session);
  X509_VERIFY_PARAM_set_hostflags(rules,
                                  X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
  if (is_ip_address(name)) return X509_VERIFY_PARAM_set1_ip_asc(rules, name.c_str()) == 1;
  return !name.empty() && X509_VERIFY_PARAM_set1_host(rules, name.c_str(), name.size()) == 1 &&
         SSL_set_tlsext_host_name(session, name.c_str()) == 1;
}

std::string why_no_tls(SSL* session, const std::string& name, Fault fault) {
  if (const long verdict = SSL_get_verify_result(session); verdict != X509_V_OK)
    return std::format("the server's certificate is refused: {} (expected \"{}\")",
                       X509_verify_cert_error_string(verdict), name);
  if (fault == Fault::kTimeout) return "no TLS handshake in time";
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  return std::format("no TLS: {}", reason != nullptr ? reason : "the server closed the connection");
}

/// How a connection ended on which reading or writing failed: the kernel has given it up, or somebody cut it.
Fault broken(int error) { return error == ETIMEDOUT ? Fault::kTimeout : Fault::kBroken; }

/// Whether OpenSSL's last error is an alert that the server sent.
bool is_alert() { return ERR_GET_REASON(ERR_peek_last_error()) > SSL_AD_REASON_OFFSET; }

}  // namespace

std::expected<std::unique_ptr<Connection>, TransportError> Connection::open(
    const ServerUrl& url, std::shared_ptr<const TlsContext> tls, const std::string& name, Resolver& resolver,
    Patience& patience) {
  const auto fd = connect_socket(url, resolver, patience);
  if (!fd) return failed(patience, fd.error());
  std::unique_ptr<Connection> made(new Connection(*fd, std::move(tls)));
  if (made->tls_ == nullptr) return made;
  const auto shaken = made->shake_hands(name.empty() ? url.host : name, patience);
  if (!shaken) return std::unexpected(shaken.error());
  return made;
}

Connection::~Connection() {
  if (session_ != nullptr) {
    // A word of farewell, if the socket takes it at once.
    if (SSL_is_init_finished(session_)) SSL_shutdown(session_);
    SSL_free(session_);
    ERR_clear_error();
  }
  ::close(socket_.fd);
}

std::expected<void, TransportError> Connection::shake_hands(const std::string& name,
                                                            const Patience& patience) {
  session_ = SSL_new(tls_->get());
  BIO* const bio = make_socket_bio(socket_);
  if (session_ == nullptr || bio == nullptr) return unreachable("OpenSSL does not start");
  SSL_set_bio(session_, bio, bio);
  if (!expect_name(session_, name))
    return not_shaken(std::format("no certificate can be for the name \"{}\"", name));
  while (true) {
    ERR_clear_error();
    const int result = SSL_connect(session_);
    if (result == 1) return {};
    const auto next = after_tls(result, patience);
    if (next) continue;
    const Fault fault = next.error();
    std::string why = why_no_tls(session_, name, fault);
    if (fault == Fault::kTimeout || fault == Fault::kStopped) return failed(patience, std::move(why));
    return not_shaken(std::move(why));
  }
}

std::expected<std::size_t, Fault> Connection::wait(short events, const Patience& patience) const {
  const Patience::End end = patience.wait(socket_.fd, events);
  if (end == Patience::End::kReady) return 0;
  return std::unexpected(end == Patience::End::kTimeout ? Fault::kTimeout : Fault::kStopped);
}

std::expected<std::size_t, Fault> Connection::after_tls(int result, const Patience& patience) {
  switch (SSL_get_error(session_, result)) {
    case SSL_ERROR_WANT_READ:
      return wait(POLLIN, patience);
    case SSL_ERROR_WANT_WRITE:
      return wait(POLLOUT, patience);
    case SSL_ERROR_ZERO_RETURN:
      return std::unexpected(Fault::kEnd);
    default:
      return std::unexpected(!heard_ && is_alert() ? Fault::kRefused : broken(socket_.error));
  }
}

std::expected<std::size_t, Fault> Connection::try_read(char* into, std::size_t size,
                                                       const Patience& patience) {
  if (session_ == nullptr) {
    const auto got = ::recv(socket_.fd, into, size, 0);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) return std::unexpected(Fault::kEnd);
    if (errno != EAGAIN && errno != EINTR) return std::unexpected(broken(errno));
    return wait(POLLIN, patience);
  }
  ERR_clear_error();
  std::size_t got = 0;
  const int result = SSL_read_ex(session_, into, size, &got);
  if (result != 1) return after_tls(result, patience);
  heard_ = true;
  return got;
}

std::expected<std::size_t, Fault> Connection::try_write(std::string_view bytes, const Patience& patience) {
  if (session_ == nullptr) {
    const auto sent = ::send(socket_.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      socket_.bytes_sent += static_cast<std::uint64_t>(sent);
      return static_cast<std::size_t>(sent);
    }
    if (errno != EAGAIN && errno != EINTR) return std::unexpected(broken(errno));
    return wait(POLLOUT, patience);
  }
  ERR_clear_error();
  std::size_t sent = 0;
  const int result = SSL_write_ex(session_, bytes.data(), bytes.size(), &sent);
  if (result != 1) return after_tls(result, patience);
  return sent;
}

std::expected<std::size_t, Fault> Connection::read(char* into, std::size_t size, const Patience& patience) {
  while (true) {
    // A server that always has a byte ready must not outlast anybody's patience.
    if (const auto end = patience.check(); end != Patience::End::kReady)
      return std::unexpected(end == Patience::End::kTimeout ? Fault::kTimeout : Fault::kStopped);
    const auto got = try_read(into, size, patience);
    if (!got || *got != 0) return got;
  }
}

std::expected<void, Fault> Connection::write(std::string_view bytes, const Patience& patience) {
  while (!bytes.empty()) {
    const auto sent = try_write(bytes, patience);
    if (!sent) return std::unexpected(sent.error());
    bytes.remove_prefix(*sent);
  }
  return {};
}

bool Connection::alive() {
  char byte = 0;
  if (session_ == nullptr)
    return ::recv(socket_.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
  // Not by the socket alone: TLS 1.3 sends session tickets after the handshake, which this reads.
  ERR_clear_error();
  const int result = SSL_peek(session_, &byte, 1);
  return result <= 0 && SSL_get_error(session_, result) == SSL_ERROR_WANT_READ;
}

}  // namespace winnow::live
