#include "cluster/text/characters.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace winnow {
namespace {

struct ByteRange {
  unsigned char low = 0x80;
  unsigned char high = 0xbf;

  bool holds(unsigned char byte) const { return byte >= low && byte <= high; }
};

/// The range of the second byte, which excludes overlong forms, surrogates and values that are too large.
ByteRange second_byte(unsigned char first) {
  switch (first) {
    case 0xe0:
      return {.low = 0xa0};
    case 0xed:
      return {.high = 0x9f};
    case 0xf0:
      return {.low = 0x90};
    case 0xf4:
      return {.high = 0x8f};
    default:
      return {};
  }
}

}  // namespace

std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() - at < length || !second_byte(first).holds(byte(1))) return 0;
  for (std::size_t i = 2; i < length; ++i)
    if (!ByteRange().holds(byte(i))) return 0;
  return length;
}

char32_t utf8_code(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  if (character.size() == 1) return first;
  char32_t code = first & (0x7fU >> character.size());
  for (const char c : character.substr(1)) code = code << 6U | (static_cast<unsigned char>(c) & 0x3fU);
  return code;
}

std::size_t find_not_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    // Nearly all text is ASCII, so eight bytes are checked at once.
    std::uint64_t eight = 0;
    if (text.size() - at >= sizeof eight) {
      std::memcpy(&eight, text.data() + at, sizeof eight);
      if ((eight & 0x8080808080808080) == 0) {
        at += sizeof eight;
        continue;
      }
    }
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  constexpr std::size_t kLongest = 4;
  for (std::size_t begin = bytes; begin-- > 0 && bytes - begin < kLongest;)
    if (begin + utf8_length(text, begin) > bytes) return text.substr(0, begin);
  return text.substr(0, bytes);
}

std::string utf8_shortened(std::string_view text, std::size_t bytes) {
  constexpr std::string_view kMore = "…";
  const std::string_view prefix = utf8_prefix(text, bytes);
  if (prefix.size() == text.size()) return std::string(text);
  std::string start;
  start.reserve(prefix.size() + kMore.size());  // Such texts are kept.
  return start.append(prefix).append(kMore);
}

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
