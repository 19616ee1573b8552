#include "cluster/text/go_quote.h"

#include <format>

#include "cluster/text/ascii.h"

namespace winnow {

std::string go_quote(std::string_view text) {
  constexpr std::string_view kEscaped = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  std::string quoted = "\"";
  for (const char c : text) {
    if (const std::size_t index = kEscaped.find(c); index != std::string_view::npos) {
      quoted += '\\';
      quoted += kLetters[index];
    } else if (is_control(c)) {
      quoted += std::format("\\x{:02x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      quoted += c;
    }
  }
  return quoted += '"';
}

}  // namespace winnow
