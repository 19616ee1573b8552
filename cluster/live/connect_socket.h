// TCP connections.
#pragma once

#include <expected>
#include <string>

#include "cluster/live/patience.h"
#include "cluster/live/resolver.h"
#include "cluster/live/server_url.h"

namespace winnow::live {

/// Connects to the first of the host's addresses that takes it; each has its share of the patience. The
/// socket does not block, sends without delay, and is given up by the kernel within 45 s of the other end's
/// vanishing.
/// @return the socket, to be closed by the caller, or one line; patience.check() tells whether it was
/// stopped.
std::expected<int, std::string> connect_socket(const ServerUrl& url, Resolver& resolver, Patience& patience);

}  // namespace winnow::live
