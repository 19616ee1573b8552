#include "cluster/text/encoding.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "cluster/text/characters.h"

namespace winnow {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

}  // namespace

std::string to_base64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (at + i < bytes.size() ? static_cast<unsigned char>(bytes[at + i]) : 0U);
    const std::size_t digits = std::min<std::size_t>(bytes.size() - at, 3) + 1;
    for (std::size_t i = 0; i < 4; ++i) text += i < digits ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

std::optional<std::string> from_base64(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size() / 4 * 3);
  std::uint32_t bits = 0;
  std::size_t digits = 0;
  std::size_t padding = 0;
  for (const char c : text) {
    if (c == '\n' || c == '\r') continue;
    if (c == '=') {
      ++padding;
      continue;
    }
    const std::size_t value = kDigits.find(c);
    if (value == std::string_view::npos || padding != 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if (++digits % 4 == 0)
      for (int shift = 16; shift >= 0; shift -= 8) bytes += static_cast<char>(bits >> shift & 255);
  }
  if (padding > 2 || (digits + padding) % 4 != 0) return std::nullopt;
  if (padding == 1) (bytes += static_cast<char>(bits >> 10 & 255)) += static_cast<char>(bits >> 2 & 255);
  if (padding == 2) bytes += static_cast<char>(bits >> 4 & 255);
  return bytes;
}

namespace {

bool is_unreserved(char c) { return is_alphanumeric(c) || std::string_view("-._~").contains(c); }

}  // namespace

std::string percent_encoded(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_unreserved(c))
      encoded += c;
    else
      encoded.append(1, '%').append(1, kHex[byte >> 4]).append(1, kHex[byte & 15]);
  }
  return encoded;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_escape =
        text[i] == '%' && i + 2 < text.size() && hex_digit(text[i + 1]) >= 0 && hex_digit(text[i + 2]) >= 0;
    decoded += is_escape ? static_cast<char>(hex_digit(text[i + 1]) * 16 + hex_digit(text[i + 2])) : text[i];
    if (is_escape) i += 2;
  }
  return decoded;
}

Query& Query::add(std::string_view name, std::string_view value) {
  if (value.empty()) return *this;
  text_.append(1, joint_).append(name).append(1, '=').append(percent_encoded(value));
  joint_ = '&';
  return *this;
}

std::string query_value(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view pair = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t equals = pair.find('=');
    if (pair.substr(0, equals) != name || equals == std::string_view::npos) continue;
    std::string value(pair.substr(equals + 1));
    std::ranges::replace(value, '+', ' ');
    return percent_decoded(value);
  }
  return {};
}

}  // namespace winnow
