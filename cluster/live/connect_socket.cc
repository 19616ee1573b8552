#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "cluster/live/connection.h"

namespace winnow::live {
namespace {

// The kernel gives up a connection when nothing was acknowledged for kUserTimeoutMs, and asks on an idle one
// after kIdleSeconds, so that it has an answer to miss.
constexpr int kIdleSeconds = 15;
constexpr int kIntervalSeconds = 5;
constexpr int kProbes = 6;
constexpr int kUserTimeoutMs = 40'000;

void set(int fd, int level, int option, int value) {
  // An option that the kernel does not have is done without.
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
int outcome_of(int fd, const Patience& patience) {
  if (patience.wait(fd, POLLOUT) != Patience::End::kReady) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof error;
  return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

}  // namespace

std::expected<int, std::string> connect_socket(const SocketAddress& address, const Patience& patience) {
  const int fd = ::socket(address.bytes.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
  if (fd < 0) return std::unexpected(std::string(std::strerror(errno)));
  set_options(fd);
  int error = 0;
  if (::connect(fd, reinterpret_cast<const sockaddr*>(&address.bytes), address.size) != 0)
    error = errno == EINPROGRESS ? outcome_of(fd, patience) : errno;
  if (error == 0) return fd;
  ::close(fd);
  return std::unexpected(std::string(std::strerror(error)));
}

}  // namespace winnow::live
