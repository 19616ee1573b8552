#include "cluster/client/access/server_url.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#include <algorithm>
#include <charconv>
#include <format>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"

namespace winnow::live {
namespace {

bool is_address(int family, const std::string& text) {
  if (text.contains('\0')) return false;  // The C library would see its beginning only.
  unsigned char bytes[16];
  return ::inet_pton(family, text.c_str(), bytes) == 1;
}

bool is_host_name(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return is_alphanumeric(c) || c == '-' || c == '.' || c == '_';
  });
}

/// Whether the text is a path that needs no escapes.
bool is_path(std::string_view text) {
  return std::ranges::all_of(text,
                             [](unsigned char c) { return c > ' ' && c < 0x7f && c != '?' && c != '#'; });
}

/// Takes the host from the front of `rest`; empty if there is none.
std::string_view take_host(std::string_view& rest) {
  std::string_view host;
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return {};
    host = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
    return is_address(AF_INET6, std::string(host)) ? host : std::string_view{};
  }
  host = rest.substr(0, rest.find_first_of(":/"));
  rest.remove_prefix(host.size());
  return is_host_name(host) ? host : std::string_view{};
}

bool take_port(std::string_view& rest, std::uint16_t& port) {
  if (!rest.starts_with(':')) return true;
  const char* const begin = rest.data() + 1;
  const auto [end, error] = std::from_chars(begin, rest.data() + rest.size(), port);
  if (error != std::errc{} || port == 0) return false;
  rest.remove_prefix(static_cast<std::size_t>(end - rest.data()));
  return true;
}

/// The text without what may be a user and a password.
std::string without_user(std::string_view text) {
  const std::size_t at = text.rfind('@');
  if (at == std::string_view::npos) return std::string(text);
  const std::size_t scheme = text.find("://");
  const std::string_view before = scheme < at ? text.substr(0, scheme + 3) : std::string_view();
  return std::string(before).append(text.substr(at + 1));
}

}  // namespace

bool is_ip_address(const std::string& text) {
  return is_address(AF_INET, text) || is_address(AF_INET6, text);
}

std::string ServerUrl::authority() const {
  return host.contains(':') ? std::format("[{}]:{}", host, port) : std::format("{}:{}", host, port);
}

std::expected<ServerUrl, std::string> parse_server_url(std::string_view text) {
  const auto wrong = [&](std::string_view what) {
    return std::unexpected(std::format("{} is not a server's URL: {}", go_quote(without_user(text)), what));
  };
  ServerUrl url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    url.tls = false;
    url.port = 80;
  } else {
    return wrong("it must begin with https:// or http://");
  }
  if (rest.contains('@')) return wrong("no user and no password may be in it");
  url.host = take_host(rest);
  if (url.host.empty()) return wrong("expected a host name or an address, IPv6 in brackets");
  if (!take_port(rest, url.port)) return wrong("expected a port from 1 to 65535");
  if (!rest.empty() && !rest.starts_with('/')) return wrong("unexpected text after the host and port");
  if (!is_path(rest)) return wrong("no query, no fragment and nothing to be escaped may be in its path");
  while (rest.ends_with('/')) rest.remove_suffix(1);
  url.path = rest;
  return url;
}

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || (host.starts_with("127.") && is_ip_address(host));
}

}  // namespace winnow::live
