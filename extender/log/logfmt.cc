#include "extender/log/logfmt.h"

#include <algorithm>
#include <cstdint>
#include <format>

namespace winnow {
namespace {

struct Rune {
  std::uint32_t code = 0;
  std::size_t bytes = 0;  ///< 0: not UTF-8.
};

/// The character at the front of a text that is not empty.
Rune first_rune(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7fU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kSmallest[bytes] || code > 0x10ffff || surrogate) return {};
  return {code, bytes};
}

/// Controls, line and paragraph separators, and what turns the direction of text or is not seen.
bool is_dangerous(std::uint32_t code) {
  const auto within = [&](std::uint32_t from, std::uint32_t to) { return code >= from && code <= to; };
  return within(0, 0x1f) || within(0x7f, 0x9f) || code == 0xad || code == 0x61c || within(0x200b, 0x200f) ||
         within(0x2028, 0x202e) || within(0x2060, 0x206f) || code == 0xfeff || within(0xfff9, 0xfffb) ||
         within(0xe0000, 0xe007f);
}

void append_escaped(std::string& line, std::uint32_t code) {
  switch (code) {
    case '\n':
      line += "\\n";
      break;
    case '\r':
      line += "\\r";
      break;
    case '\t':
      line += "\\t";
      break;
    default:
      line += code > 0xffff ? std::format("\\U{:08x}", code) : std::format("\\u{:04x}", code);
  }
}

bool is_plain(char c) {
  const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return alphanumeric || std::string_view("-_./:@+,%~*[]()").contains(c);
}

}  // namespace

void append_logfmt_value(std::string& line, std::string_view value) {
  if (!value.empty() && std::ranges::all_of(value, is_plain)) {
    line += value;
    return;
  }
  line += '"';
  while (!value.empty()) {
    const Rune rune = first_rune(value);
    const std::size_t bytes = std::max<std::size_t>(rune.bytes, 1);
    if (rune.bytes == 0) {
      line += std::format("\\x{:02x}", static_cast<unsigned char>(value.front()));
    } else if (is_dangerous(rune.code)) {
      append_escaped(line, rune.code);
    } else {
      if (rune.code == '"' || rune.code == '\\') line += '\\';
      line += value.substr(0, bytes);
    }
    value.remove_prefix(bytes);
  }
  line += '"';
}

}  // namespace winnow
