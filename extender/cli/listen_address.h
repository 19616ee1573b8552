// An address to listen on, as Kubernetes' components spell it.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>

namespace winnow {

struct ListenAddress {
  std::string host;  ///< An IPv4 or IPv6 address in digits; "": every address of the machine.
  std::uint16_t port = 0;
};

/// "10.0.0.1:10291", "[::]:10291", ":10291"; "0" and "" are nothing: off.
/// @return or one line: what was found, and what was expected.
std::expected<std::optional<ListenAddress>, std::string> parse_listen_address(const std::string& text);

}  // namespace winnow
