#include "cluster/text/go_quote.h"

#include <cstdint>
#include <format>

#include "cluster/text/ascii.h"
#include "cluster/text/printable.h"
#include "cluster/text/utf8.h"

namespace winnow {
namespace {

/// One character as `%q` has it; of no character the byte.
void append_character(std::string& quoted, std::string_view character, bool is_utf8) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  const char c = character.front();
  if (const std::size_t index = kEscaped.find(c); index != std::string_view::npos) {
    quoted += '\\';
    quoted += kLetters[index];
  } else if (!is_utf8 || is_control(c)) {
    quoted += std::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  } else if (const auto code = utf8_code(character); steers_display(code)) {
    const auto number = static_cast<std::uint32_t>(code);
    quoted += code > 0xffff ? std::format("\\U{:08x}", number) : std::format("\\u{:04x}", number);
  } else {
    quoted += character;
  }
}

}  // namespace

std::string go_quote(std::string_view text, std::size_t most) {
  const std::string_view start = utf8_prefix(text, most);
  std::string quoted = "\"";
  for (std::size_t at = 0; at < start.size();) {
    const std::size_t length = utf8_length(start, at);
    append_character(quoted, start.substr(at, length == 0 ? 1 : length), length != 0);
    at += length == 0 ? 1 : length;
  }
  quoted += '"';
  return start.size() < text.size() ? quoted + "…" : quoted;
}

}  // namespace winnow
