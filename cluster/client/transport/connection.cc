#include "cluster/client/transport/connection.h"

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

#include "cluster/client/access/server_url.h"
#include "cluster/client/transport/sockets.h"
#include "cluster/client/transport/transport.h"
#include "cluster/text/go_format.h"

namespace winnow::live {

namespace {

using Fault = Connection::Fault;

std::unexpected<TransportError> unreachable(std::string message) {
  return std::unexpected(TransportError{TransportError::Kind::kUnreachable, std::move(message)});
}

/// The error of a failed connect. In all cases the server has seen nothing of the request.
std::unexpected<TransportError> failed(const Deadline& deadline, std::string message) {
  if (deadline.check() == Deadline::End::kStopped)
    return std::unexpected(TransportError{TransportError::Kind::kStopped, "stopped"});
  return unreachable(std::move(message));
}

/// The error of a handshake that one side has ended.
std::unexpected<TransportError> not_shaken(std::string message) {
  return std::unexpected(
      TransportError{TransportError::Kind::kUnreachable, std::move(message), /*handshake_failed=*/true});
}

/// Tells OpenSSL which name the certificate must have. @return false: the check could not be set up, and the
/// connection must not be used, because any name would pass.
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
    return std::format("the server's certificate is refused: {} (expected {})",
                       X509_verify_cert_error_string(verdict), go_quote(name));
  if (fault == Fault::kTimeout) return "no TLS handshake in time";
  const char* const reason = ERR_reason_error_string(ERR_peek_last_error());
  return std::format("no TLS: {}", reason != nullptr ? reason : "the server closed the connection");
}

/// The fault for an errno of reading or writing: the kernel has given the connection up, or it was cut.
Fault broken(int error) { return error == ETIMEDOUT ? Fault::kTimeout : Fault::kBroken; }

/// Whether OpenSSL's last error is an alert that the server sent.
bool is_alert() { return ERR_GET_REASON(ERR_peek_last_error()) > SSL_AD_REASON_OFFSET; }

}  // namespace

std::expected<std::unique_ptr<Connection>, TransportError> Connection::open(
    const ServerUrl& url, std::shared_ptr<const TlsContext> tls, const std::string& name, Resolver& resolver,
    Deadline& deadline) {
  std::unique_ptr<Connection> made(new Connection(std::move(tls)));
  const auto fd = connect_socket(url, resolver, deadline);
  if (!fd) return failed(deadline, fd.error());
  made->socket_.fd = *fd;
  if (made->tls_ == nullptr) return made;
  const auto shaken = made->shake_hands(name.empty() ? url.host : name, deadline);
  if (!shaken) return std::unexpected(shaken.error());
  return made;
}

Connection::~Connection() {
  if (session_ != nullptr) {
    // Sends TLS's close_notify, if the socket takes it at once.
    if (!given_up_ && SSL_is_init_finished(session_)) SSL_shutdown(session_);
    SSL_free(session_);
    ERR_clear_error();
  }
  if (socket_.fd >= 0) ::close(socket_.fd);
}

std::expected<void, TransportError> Connection::shake_hands(const std::string& name,
                                                            const Deadline& deadline) {
  session_ = SSL_new(tls_->get());
  BIO* const bio = make_socket_bio(socket_);
  if (session_ == nullptr || bio == nullptr) return unreachable("OpenSSL does not start");
  SSL_set_bio(session_, bio, bio);
  if (!expect_name(session_, name))
    return not_shaken(std::format("no certificate can be for the name {}", go_quote(name)));
  while (true) {
    ERR_clear_error();
    const int result = SSL_connect(session_);
    if (result == 1) return {};
    const auto next = after_tls(result, deadline);
    if (next) continue;
    const Fault fault = next.error();
    std::string why = why_no_tls(session_, name, fault);
    if (fault == Fault::kTimeout || fault == Fault::kStopped) return failed(deadline, std::move(why));
    return not_shaken(std::move(why));
  }
}

void Connection::note(Fault fault) {
  if (fault != Fault::kTimeout && fault != Fault::kStopped) return;
  given_up_ = true;
  // Without this the kernel goes on sending after close(), until TCP_USER_TIMEOUT. It sends a reset now.
  const linger at_once{.l_onoff = 1, .l_linger = 0};
  static_cast<void>(::setsockopt(socket_.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once));
}

std::expected<std::size_t, Fault> Connection::wait(short events, const Deadline& deadline) const {
  const Deadline::End end = deadline.wait(socket_.fd, events);
  if (end == Deadline::End::kReady) return 0;
  return std::unexpected(end == Deadline::End::kTimeout ? Fault::kTimeout : Fault::kStopped);
}

std::expected<std::size_t, Fault> Connection::after_tls(int result, const Deadline& deadline) {
  switch (SSL_get_error(session_, result)) {
    case SSL_ERROR_WANT_READ:
      return wait(POLLIN, deadline);
    case SSL_ERROR_WANT_WRITE:
      return wait(POLLOUT, deadline);
    case SSL_ERROR_ZERO_RETURN:
      return std::unexpected(Fault::kEnd);
    default:
      return std::unexpected(!heard_ && is_alert() ? Fault::kRefused : broken(socket_.error));
  }
}

std::expected<std::size_t, Fault> Connection::try_read(char* into, std::size_t size,
                                                       const Deadline& deadline) {
  if (session_ == nullptr) {
    const auto got = ::recv(socket_.fd, into, size, 0);
    if (got > 0) return static_cast<std::size_t>(got);
    if (got == 0) return std::unexpected(Fault::kEnd);
    if (errno != EAGAIN && errno != EINTR) return std::unexpected(broken(errno));
    return wait(POLLIN, deadline);
  }
  ERR_clear_error();
  std::size_t got = 0;
  const int result = SSL_read_ex(session_, into, size, &got);
  if (result != 1) return after_tls(result, deadline);
  heard_ = true;
  return got;
}

std::expected<std::size_t, Fault> Connection::try_write(std::string_view bytes, const Deadline& deadline) {
  if (session_ == nullptr) {
    const auto sent = ::send(socket_.fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent >= 0) {
      socket_.bytes_sent += static_cast<std::uint64_t>(sent);
      return static_cast<std::size_t>(sent);
    }
    if (errno != EAGAIN && errno != EINTR) return std::unexpected(broken(errno));
    return wait(POLLOUT, deadline);
  }
  ERR_clear_error();
  std::size_t sent = 0;
  const int result = SSL_write_ex(session_, bytes.data(), bytes.size(), &sent);
  if (result != 1) return after_tls(result, deadline);
  return sent;
}

std::expected<std::size_t, Fault> Connection::read(char* into, std::size_t size, const Deadline& deadline) {
  while (true) {
    std::expected<std::size_t, Fault> got = 0;
    // The deadline also holds when the server always has a byte ready.
    if (const auto end = deadline.check(); end != Deadline::End::kReady)
      got = std::unexpected(end == Deadline::End::kTimeout ? Fault::kTimeout : Fault::kStopped);
    else
      got = try_read(into, size, deadline);
    if (!got) note(got.error());
    if (!got || *got != 0) return got;
  }
}

std::expected<void, Fault> Connection::write(std::string_view bytes, const Deadline& deadline) {
  while (!bytes.empty()) {
    const auto sent = try_write(bytes, deadline);
    if (!sent) {
      note(sent.error());
      return std::unexpected(sent.error());
    }
    bytes.remove_prefix(*sent);
  }
  return {};
}

bool Connection::alive() {
  char byte = 0;
  if (session_ == nullptr)
    return ::recv(socket_.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && errno == EAGAIN;
  // The socket alone does not tell: after the handshake TLS 1.3 sends session tickets, which SSL_peek reads.
  ERR_clear_error();
  const int result = SSL_peek(session_, &byte, 1);
  return result <= 0 && SSL_get_error(session_, result) == SSL_ERROR_WANT_READ;
}

}  // namespace winnow::live
