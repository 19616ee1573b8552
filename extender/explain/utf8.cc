#include "extender/explain/utf8.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace winnow {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";
constexpr std::string_view kEllipsis = "…";

std::uint8_t byte_at(std::string_view text, std::size_t at) { return static_cast<std::uint8_t>(text[at]); }

// The range of the second byte is what keeps overlong forms, surrogates and too large values out.
std::pair<std::uint8_t, std::uint8_t> second_byte_range(std::uint8_t first) {
  switch (first) {
    case 0xE0:
      return {0xA0, 0xBF};
    case 0xED:
      return {0x80, 0x9F};
    case 0xF0:
      return {0x90, 0xBF};
    case 0xF4:
      return {0x80, 0x8F};
    default:
      return {0x80, 0xBF};
  }
}

bool is_space(std::string_view c) { return c.size() == 1 && std::string_view(" \t\n\v\f\r").contains(c[0]); }

bool steers_terminal(std::string_view c) {
  const auto first = byte_at(c, 0);
  if (c.size() == 1) return first < 0x20 || first == 0x7F;
  const auto second = byte_at(c, 1);
  if (c.size() == 2) return first == 0xC2 && second < 0xA0;  // U+0080 to U+009F
  if (c.size() != 3 || first != 0xE2) return false;
  const auto third = byte_at(c, 2);
  return (second == 0x80 && third >= 0xA8 && third <= 0xAE) ||  // U+2028 to U+202E
         (second == 0x81 && third >= 0xA6 && third <= 0xA9);    // U+2066 to U+2069
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto first = byte_at(text, at);
  if (first < 0x80) return 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (text.size() - at < length) return 0;
  const auto [low, high] = second_byte_range(first);
  if (byte_at(text, at + 1) < low || byte_at(text, at + 1) > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if ((byte_at(text, at + i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const std::string_view c = text.substr(at, std::max<std::size_t>(1, length));
    at += c.size();
    if (is_space(c)) {
      out += ' ';
    } else {
      out += length == 0 || steers_terminal(c) ? kReplacement : c;
    }
  }
  return out;
}

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string shorten_middle(std::string_view text, std::size_t limit) {
  const std::size_t wide = columns(text);
  if (wide <= limit) return std::string(text);
  const std::size_t tail = limit / 2;
  const std::size_t head = limit - 1 - tail;
  std::string out(text.substr(0, prefix_bytes(text, head)));
  out += kEllipsis;
  out += text.substr(prefix_bytes(text, wide - tail));
  return out;
}

std::size_t prefix_bytes(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) at += std::max<std::size_t>(1, utf8_length(text, at));
  return at;
}

}  // namespace winnow
