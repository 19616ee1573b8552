#include "extender/service/log/log_format.h"

#include <algorithm>
#include <cstdint>
#include <format>

#include "cluster/text/characters.h"

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
