// TCP connections.
#pragma once

#include <expected>
#include <string>

#include "cluster/access/server_url.h"
#include "cluster/transport/deadline.h"
#include "cluster/transport/resolver.h"

namespace winnow::live {

/// Connects to the first of the host's addresses that accepts. Each address gets its share of the deadline.
/// The socket is non-blocking and has TCP_NODELAY. The kernel gives it up within 45 s after the peer
/// vanished.
/// @return the socket, which the caller closes, or an error in one line; deadline.check() tells whether the
/// caller has stopped it.
std::expected<int, std::string> connect_socket(const ServerUrl& url, Resolver& resolver, Deadline& deadline);

}  // namespace winnow::live
