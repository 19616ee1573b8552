#include "cluster/text/utf8.h"

#include <algorithm>
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

}  // namespace winnow
