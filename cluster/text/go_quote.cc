#include "cluster/text/go_quote.h"

#include <format>

#include "cluster/text/ascii.h"
#include "cluster/text/utf8.h"

namespace winnow {

std::string go_quote(std::string_view text) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  std::string quoted = "\"";
  const auto append_byte = [&](char c) {
    quoted += std::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const char c = text[at];
    if (const std::size_t index = kEscaped.find(c); index != std::string_view::npos) {
      quoted += '\\';
      quoted += kLetters[index];
    } else if (length == 0 || is_control(c)) {
      append_byte(c);
    } else {
      quoted += text.substr(at, length);
    }
    at += length == 0 ? 1 : length;
  }
  return quoted += '"';
}

}  // namespace winnow
