// Listening sockets, and the connections that they accept.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace winnow::http {

struct Listening {
  int fd;  ///< non-blocking; owned by the caller
  std::uint16_t port;
};

/// Opens a listening socket. Parameters and error are those of Server::listen().
std::expected<Listening, std::string> open_listener(const std::string& address, std::uint16_t port);

struct Accepted {
  int fd;              ///< non-blocking, with TCP_NODELAY; owned by the caller
  std::string remote;  ///< "127.0.0.1:1234" or "[::1]:1234"
};

/// Accepts one connection. @return the connection, or errno; EAGAIN when none waits.
std::expected<Accepted, int> accept_one(int listen_fd);

}  // namespace winnow::http
