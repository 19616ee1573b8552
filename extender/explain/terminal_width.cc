#include "extender/explain/terminal_width.h"

#include <algorithm>

#include "cluster/text/utf8.h"

namespace winnow {

std::size_t columns(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string shorten_middle(std::string_view text, std::size_t limit) {
  const std::size_t wide = columns(text);
  if (wide <= limit) return std::string(text);
  const std::size_t tail = limit / 2;
  const std::size_t head = limit - 1 - tail;
  std::string out(text.substr(0, prefix_bytes(text, head)));
  out += "…";
  out += text.substr(prefix_bytes(text, wide - tail));
  return out;
}

std::size_t prefix_bytes(std::string_view text, std::size_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) at += std::max<std::size_t>(1, utf8_length(text, at));
  return at;
}

}  // namespace winnow
