#include "extender/log/json_value.h"

#include <algorithm>
#include <cstdint>
#include <format>

#include "cluster/text/printable.h"
#include "cluster/text/utf8.h"

namespace winnow {
namespace {

void append_unit(std::string& line, std::uint32_t unit) { line += std::format("\\u{:04x}", unit); }

/// Beyond 16 bits JSON has a pair of surrogates.
void append_code(std::string& line, std::uint32_t code) {
  if (code <= 0xffff) return append_unit(line, code);
  append_unit(line, 0xd800 + ((code - 0x10000) >> 10));
  append_unit(line, 0xdc00 + ((code - 0x10000) & 0x3ff));
}

}  // namespace

// JSON lets through what turns a terminal's text or hides it. So the writer for answers does not do here.
void append_json_value(std::string& line, std::string_view value) {
  line += '"';
  while (!value.empty()) {
    const std::size_t length = utf8_length(value, 0);
    const std::string_view character = value.substr(0, std::max<std::size_t>(length, 1));
    value.remove_prefix(character.size());
    if (length == 0)
      line += "\\ufffd";
    else if (const char32_t code = utf8_code(character); steers_display(code))
      append_code(line, static_cast<std::uint32_t>(code));
    else
      line.append(code == '"' || code == '\\' ? "\\" : "").append(character);
  }
  line += '"';
}

}  // namespace winnow
