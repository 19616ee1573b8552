// Listening and accepting.
#pragma once

#include <cstdint>
#include <expected>
#include <string>

namespace winnow::http {

struct Listening {
  int fd;  ///< non-blocking; the caller's
  std::uint16_t port;
};

/// @see Server::listen
std::expected<Listening, std::string> open_listener(const std::string& address, std::uint16_t port);

struct Accepted {
  int fd;  ///< non-blocking, without Nagle's delay; the caller's
  std::string remote;
};

/// @return or errno.
std::expected<Accepted, int> accept_one(int listen_fd);

}  // namespace winnow::http
