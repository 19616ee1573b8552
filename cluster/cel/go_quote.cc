#include "cluster/cel/go_quote.h"

#include <array>
#include <cstdint>
#include <cstdio>

#include "cluster/cel/numbers.h"

namespace winnow::cel {
namespace {

/// Characters beyond ASCII that Go does not print: controls, format characters, separators, private use.
/// Unassigned characters are not known here, and are printed.
bool is_printed(std::uint32_t c) {
  if (c < 0x20 || (c >= 0x7F && c <= 0xA0)) return false;
  if (c == 0xAD || c == 0x1680 || c == 0x3000 || c == 0xFEFF) return false;
  if ((c >= 0x2000 && c <= 0x200F) || (c >= 0x2028 && c <= 0x202F) || (c >= 0x205F && c <= 0x206F))
    return false;
  return !(c >= 0xE000 && c <= 0xF8FF) && c < 0xE0000;
}

std::string escaped(const char* format, unsigned value) {
  std::array<char, 16> buffer{};
  std::snprintf(buffer.data(), buffer.size(), format, value);
  return buffer.data();
}

std::string escape(const Character& character, unsigned char byte) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v";
  constexpr std::string_view kLetters = "abfnrtv";
  const std::uint32_t c = character.value;
  if (!character.valid) return escaped("\\x%02x", byte);
  if (c < 0x80)
    if (const std::size_t found = kEscaped.find(static_cast<char>(c));
        found != std::string_view::npos && c != 0)
      return std::string("\\") + kLetters[found];
  if (c < 0x20 || c == 0x7F) return escaped("\\x%02x", c);
  return c < 0x10000 ? escaped("\\u%04x", c) : escaped("\\U%08x", c);
}

}  // namespace

std::string quote_as_go(std::string_view text) {
  std::string quoted = "\"";
  while (!text.empty()) {
    const Character next = next_character(text);
    if (next.value == '"' || next.value == '\\') quoted += '\\';
    if (next.valid && is_printed(next.value))
      quoted += text.substr(0, next.size);
    else
      quoted += escape(next, static_cast<unsigned char>(text[0]));
    text.remove_prefix(next.size);
  }
  return quoted + '"';
}

}  // namespace winnow::cel
