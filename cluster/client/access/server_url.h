// The address of an API server.
#pragma once

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>

namespace winnow::live {

struct ServerUrl {
  bool tls = true;
  std::string host;  ///< A name or an address, without brackets.
  std::uint16_t port = 443;
  std::string path;  ///< The path before the API's own: "" or "/a/b".

  /// The value of the Host header: "10.0.0.1:6443", "[fd00::1]:6443".
  std::string authority() const;
};

/// Parses "https://HOST[:PORT][/PATH]" or http://…; HOST is a name, an IPv4 address, or an IPv6 address in
/// brackets. @return the URL, or an error with the text, without a user and password in it.
std::expected<ServerUrl, std::string> parse_server_url(std::string_view text);

/// Whether the text is an IPv4 or IPv6 address.
bool is_ip_address(const std::string& text);

/// Whether only this machine reaches that host: "localhost", "::1", or an address that begins with 127.
bool is_loopback(const std::string& host);

}  // namespace winnow::live
