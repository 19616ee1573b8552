#include "cluster/transport/connect_socket.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>

namespace winnow::live {
namespace {

// The kernel gives up a connection when the peer has acknowledged nothing for kUserTimeoutMs. An idle
// connection sends nothing, so keep-alive probes begin after kIdleSeconds.
constexpr int kIdleSeconds = 15;
constexpr int kIntervalSeconds = 5;
constexpr int kProbes = 6;
constexpr int kUserTimeoutMs = 40'000;

void set(int fd, int level, int option, int value) {
  // The options only speed up the detection of dead peers. A kernel without one of them still works.
  static_cast<void>(::setsockopt(fd, level, option, &value, sizeof value));
}

void set_options(int fd) {
  set(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set(fd, IPPROTO_TCP, TCP_KEEPIDLE, kIdleSeconds);
  set(fd, IPPROTO_TCP, TCP_KEEPINTVL, kIntervalSeconds);
  set(fd, IPPROTO_TCP, TCP_KEEPCNT, kProbes);
  set(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, kUserTimeoutMs);
}

/// 0, or the errno of the connection that was begun.
int outcome_of(int fd, const Deadline& deadline) {
  if (deadline.wait(fd, POLLOUT) != Deadline::End::kReady) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

std::expected<int, std::string> connect_to(const SocketAddress& address, const Deadline& deadline) {
  const int fd = ::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
  if (fd < 0) return std::unexpected(std::string(std::strerror(errno)));
  set_options(fd);
  int error = 0;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address.bytes), address.size) != 0)
    error = errno == EINPROGRESS ? outcome_of(fd, deadline) : errno;
  if (error == 0) return fd;
  ::close(fd);
  return std::unexpected(std::string(std::strerror(error)));
}

}  // namespace

std::expected<int, std::string> connect_socket(const ServerUrl& url, Resolver& resolver, Deadline& deadline) {
  const auto addresses = resolver.resolve(url.host, url.port, deadline);
  if (!addresses) return std::unexpected(addresses.error());
  const Deadline::Time until = deadline.until();
  std::expected<int, std::string> connected = std::unexpected("no address");
  std::size_t left = addresses->size();
  for (const SocketAddress& address : *addresses) {
    // An address that never answers must leave time for the next one.
    const auto now = std::chrono::steady_clock::now();
    deadline.set_until(now + (until - now) / std::max<std::size_t>(left--, 1));
    connected = connect_to(address, deadline);
    deadline.set_until(until);
    if (connected || deadline.check() != Deadline::End::kReady) break;
  }
  return connected;
}

}  // namespace winnow::live
