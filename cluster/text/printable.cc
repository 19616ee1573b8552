#include "cluster/text/printable.h"

#include <algorithm>
#include <cstddef>

#include "cluster/text/ascii.h"
#include "cluster/text/utf8.h"

namespace winnow {
namespace {

/// Nearly every text is plain ASCII.
bool shows_as_it_is(char c) { return c >= ' ' && c < '\x7f'; }

}  // namespace

bool steers_display(char32_t code) {
  const auto within = [&](char32_t from, char32_t to) { return code >= from && code <= to; };
  return within(0, 0x1f) || within(0x7f, 0x9f) || code == 0xad || code == 0x61c || within(0x200b, 0x200f) ||
         within(0x2028, 0x202e) || within(0x2060, 0x206f) || code == 0xfeff || within(0xfff9, 0xfffb) ||
         within(0xe0000, 0xe007f);
}

std::string printable(std::string_view text) {
  if (std::ranges::all_of(text, shows_as_it_is)) return std::string(text);
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const std::string_view character = text.substr(at, std::max<std::size_t>(1, length));
    at += character.size();
    if (kWhiteSpace.contains(character.front()))
      out += ' ';
    else
      out += length == 0 || steers_display(utf8_code(character)) ? kReplacement : character;
  }
  return out;
}

std::string one_line(std::string_view text, std::size_t most) {
  std::string line = printable(utf8_prefix(text, most));
  if (text.size() <= most && line.size() <= most) return line;
  line.resize(utf8_prefix(line, most).size());
  return line + "…";
}

}  // namespace winnow
