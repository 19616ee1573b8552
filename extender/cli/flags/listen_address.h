// An address to listen on, in the notation of Kubernetes' components.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

namespace winnow {

/// A parsed address.
struct ListenAddress {
  std::string host;  ///< An IPv4 or IPv6 address in digits; "": all addresses of the machine.
  std::uint16_t port = 0;
};

/// Parses "10.0.0.1:10291", "[::]:10291" or ":10291".
/// @return the address; nothing for "0" and "", which turn the listener off; or an error of one line.
std::expected<std::optional<ListenAddress>, std::string> parse_listen_address(const std::string& text);

}  // namespace winnow
