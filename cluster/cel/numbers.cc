#include "cluster/cel/numbers.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "cluster/cel/literals.h"

namespace winnow::cel {
namespace {

constexpr std::uint32_t kReplacement = 0xFFFD;

}  // namespace

std::string general_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Inf" : "+Inf";
  std::array<char, 64> buffer{};
  char* const last = buffer.data() + buffer.size();
  const char* end = std::to_chars(buffer.data(), last, number, std::chars_format::scientific).ptr;
  const std::string text(static_cast<const char*>(buffer.data()), end);
  const int exponent = std::atoi(text.c_str() + text.find('e') + 1);
  if (exponent < -4 || exponent >= 6) return text;
  end = std::to_chars(buffer.data(), last, number, std::chars_format::fixed).ptr;
  return {static_cast<const char*>(buffer.data()), end};
}

Character next_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  std::size_t size = 0;
  if (first >= 0xC2 && first <= 0xDF) size = 2;
  if (first >= 0xE0 && first <= 0xEF) size = 3;
  if (first >= 0xF0 && first <= 0xF4) size = 4;
  if (size == 0 || text.size() < size) return {kReplacement, 1, false};
  std::uint32_t value = first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {kReplacement, 1, false};
    value = value << 6 | (byte(i) & 0x3F);
  }
  const bool too_short = (size == 3 && value < 0x800) || (size == 4 && value < 0x10000);
  if (too_short || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return {kReplacement, 1, false};
  return {value, size, true};
}

std::vector<std::uint32_t> characters_of(std::string_view text) {
  std::vector<std::uint32_t> characters;
  while (!text.empty()) {
    const Character next = next_character(text);
    characters.push_back(next.value);
    text.remove_prefix(next.size);
  }
  return characters;
}

std::string text_of(const std::uint32_t* first, const std::uint32_t* last) {
  std::string text;
  for (; first != last; ++first) append_character(text, *first);
  return text;
}

}  // namespace winnow::cel
