#include "extender/log/logfmt.h"

#include <algorithm>
#include <cstdint>
#include <format>

#include "cluster/text/ascii.h"
#include "cluster/text/printable.h"
#include "cluster/text/utf8.h"

namespace winnow {
namespace {

void append_escaped(std::string& line, char32_t code) {
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
      line += code > 0xffff ? std::format("\\U{:08x}", static_cast<std::uint32_t>(code))
                            : std::format("\\u{:04x}", static_cast<std::uint32_t>(code));
  }
}

bool is_plain(char c) { return is_alphanumeric(c) || std::string_view("-_./:@+,%~*[]()").contains(c); }

}  // namespace

void append_logfmt_value(std::string& line, std::string_view value) {
  if (!value.empty() && std::ranges::all_of(value, is_plain)) {
    line += value;
    return;
  }
  line += '"';
  while (!value.empty()) {
    const std::size_t length = utf8_length(value, 0);
    const std::string_view character = value.substr(0, std::max<std::size_t>(length, 1));
    value.remove_prefix(character.size());
    if (length == 0)
      line += std::format("\\x{:02x}", static_cast<unsigned char>(character.front()));
    else if (const char32_t code = utf8_code(character); steers_display(code))
      append_escaped(line, code);
    else
      line.append(code == '"' || code == '\\' ? "\\" : "").append(character);
  }
  line += '"';
}

}  // namespace winnow
