#include "extender/service/http/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace winnow::http {
namespace {

constexpr int kBacklog = 1024;  // the kernel cuts it to net.core.somaxconn

std::string describe(const sockaddr_storage& address) {
  char text[INET6_ADDRSTRLEN] = "";
  if (address.ss_family == AF_INET6) {
    sockaddr_in6 v6;
    std::memcpy(&v6, &address, sizeof v6);
    inet_ntop(AF_INET6, &v6.sin6_addr, text, sizeof text);
    return "[" + std::string(text) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  sockaddr_in v4;
  std::memcpy(&v4, &address, sizeof v4);
  inet_ntop(AF_INET, &v4.sin_addr, text, sizeof text);
  return std::string(text) + ":" + std::to_string(ntohs(v4.sin_port));
}

std::uint16_t port_of(int fd) {
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  ::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &length);
  in_port_t port = 0;  // at the same place in both families
  std::memcpy(&port, reinterpret_cast<const char*>(&bound) + offsetof(sockaddr_in, sin_port), sizeof port);
  return ntohs(port);
}

// SO_REUSEADDR lets a restarted process bind the port while old connections time out. SO_REUSEPORT would
// also let a second process share the port.
bool bind_and_listen(int fd, const addrinfo& where) {
  const int on = 1;
  const int off = 0;
  ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (where.ai_family == AF_INET6) ::setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof off);
  return ::bind(fd, where.ai_addr, where.ai_addrlen) == 0 && ::listen(fd, kBacklog) == 0;
}

}  // namespace

std::expected<Listening, std::string> open_listener(const std::string& address, std::uint16_t port) {
  const std::string place = address + " port " + std::to_string(port);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    return std::unexpected("cannot listen on " + place + ": not an IP address");
  }
  const int fd = ::socket(found->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  const bool listening = fd >= 0 && bind_and_listen(fd, *found);
  const int error = errno;
  ::freeaddrinfo(found);
  if (listening) return Listening{fd, port_of(fd)};
  if (fd >= 0) ::close(fd);
  return std::unexpected("cannot listen on " + place + ": " + std::generic_category().message(error));
}

std::expected<Accepted, int> accept_one(int listen_fd) {
  sockaddr_storage peer{};
  socklen_t length = sizeof peer;
  const int fd =
      ::accept4(listen_fd, reinterpret_cast<sockaddr*>(&peer), &length, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) return std::unexpected(errno);
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return Accepted{fd, describe(peer)};
}

}  // namespace winnow::http
