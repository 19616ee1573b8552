#include "extender/cli/flags/listen_address.h"

#include <arpa/inet.h>

#include <charconv>
#include <format>

namespace winnow {
namespace {

bool is_ip(int family, const std::string& text) {
  in6_addr address{};  // Large enough for both families.
  return inet_pton(family, text.c_str(), &address) == 1;
}

/// The address in the part before the port; nothing if that is none.
std::optional<std::string> read_host(const std::string& text) {
  if (text.empty() || is_ip(AF_INET, text)) return text;
  if (!text.starts_with('[') || !text.ends_with(']')) return std::nullopt;
  std::string inner = text.substr(1, text.size() - 2);
  return is_ip(AF_INET6, inner) ? std::optional(std::move(inner)) : std::nullopt;
}

std::optional<std::uint16_t> read_port(const std::string& text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

}  // namespace

std::expected<std::optional<ListenAddress>, std::string> parse_listen_address(const std::string& text) {
  if (text.empty() || text == "0") return std::nullopt;
  if (const std::size_t colon = text.rfind(':'); colon != std::string::npos) {
    const auto host = read_host(text.substr(0, colon));
    const auto port = read_port(text.substr(colon + 1));
    if (host && port) return ListenAddress{*host, *port};
  }
  return std::unexpected(std::format(
      "found \"{}\", expected IP:PORT, such as 0.0.0.0:10291, [::]:10291 or :10291; 0 is off", text));
}

}  // namespace winnow
