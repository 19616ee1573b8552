#include "cluster/cel/literals.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <limits>
#include <system_error>

namespace winnow::cel {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool is_character(std::uint32_t value) { return value < 0xD800 || (value > 0xDFFF && value <= 0x10FFFF); }

/// Line ends as "\n".
std::string with_line_feeds(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\r' && i + 1 < text.size() && text[i + 1] == '\n') continue;
    result += text[i] == '\r' ? '\n' : text[i];
  }
  return result;
}

/// Reads escapes from a text without its quotes.
class Unescaper {
 public:
  Unescaper(std::string_view text, bool is_bytes) : text_(text), is_bytes_(is_bytes) {}

  std::expected<std::string, std::string> all() {
    while (at_ < text_.size()) {
      if (text_[at_] != '\\') {
        result_ += text_[at_++];
        continue;
      }
      if (const char* error = escape(); error != nullptr) return std::unexpected(error);
    }
    return std::move(result_);
  }

 private:
  const char* escape() {
    if (at_ + 1 >= text_.size()) return "unable to unescape string, found '\\' as last character";
    const char c = text_[at_ + 1];
    at_ += 2;
    constexpr std::string_view kLetters = "abfnrtv\\'\"`?";
    constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\'\"`?";
    if (const std::size_t found = kLetters.find(c); found != std::string_view::npos) {
      result_ += kMeanings[found];
      return nullptr;
    }
    if (c == 'x' || c == 'X') return hex(2);
    if (c == 'u' && !is_bytes_) return hex(4);
    if (c == 'U' && !is_bytes_) return hex(8);
    if (c >= '0' && c <= '3') return octal(static_cast<std::uint32_t>(c - '0'));
    return "unable to unescape string";
  }

  const char* hex(std::size_t count) {
    if (text_.size() - at_ < count) return "unable to unescape string";
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const int digit = hex_digit(text_[at_++]);
      if (digit < 0) return "unable to unescape string";
      value = value << 4 | static_cast<std::uint32_t>(digit);
    }
    return put(value);
  }

  const char* octal(std::uint32_t value) {
    if (text_.size() - at_ < 2) return "unable to unescape octal sequence in string";
    for (int i = 0; i < 2; ++i) {
      const char c = text_[at_++];
      if (c < '0' || c > '7') return "unable to unescape octal sequence in string";
      value = value * 8 + static_cast<std::uint32_t>(c - '0');
    }
    return put(value);
  }

  const char* put(std::uint32_t value) {
    if (is_bytes_) {
      result_ += static_cast<char>(value);
      return nullptr;
    }
    if (!is_character(value)) return "invalid unicode code point";
    append_character(result_, value);
    return nullptr;
  }

  std::string_view text_;
  bool is_bytes_;
  std::size_t at_ = 0;
  std::string result_;
};

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower,
                            [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

/// Go allows "_" between digits, and behind the prefix of a hexadecimal number.
std::optional<std::string> without_underscores(std::string_view digits, bool is_hex) {
  const auto is_digit = [&](char c) { return (c >= '0' && c <= '9') || (is_hex && hex_digit(c) >= 0); };
  std::string result;
  char before = is_hex ? '0' : '^';
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const char c = digits[i];
    if (c == '_') {
      const bool between = is_digit(before) && i + 1 < digits.size() && is_digit(digits[i + 1]);
      if (!between) return std::nullopt;
    } else {
      result += c;
    }
    before = c;
  }
  return result;
}

std::optional<double> finite(const char* first, const char* last, std::chars_format format) {
  double value = 0;
  const auto [end, error] = std::from_chars(first, last, value, format);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc()) return value;
  // Out of range: too large is an error, too small is zero.
  const std::string text(first, last);
  if (format == std::chars_format::general) value = std::strtod(text.c_str(), nullptr);
  if (format == std::chars_format::hex) value = std::strtod(("0x" + text).c_str(), nullptr);
  if (std::isinf(value)) return std::nullopt;
  return value;
}

}  // namespace

void append_character(std::string& text, std::uint32_t c) {
  const auto put = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return put(c);
  if (c < 0x800) {
    put(0xC0 | c >> 6);
    return put(0x80 | (c & 0x3F));
  }
  if (c < 0x10000) {
    put(0xE0 | c >> 12);
  } else {
    put(0xF0 | c >> 18);
    put(0x80 | (c >> 12 & 0x3F));
  }
  put(0x80 | (c >> 6 & 0x3F));
  put(0x80 | (c & 0x3F));
}

std::expected<std::string, std::string> unquote(std::string_view literal, bool is_bytes) {
  const std::string normal = with_line_feeds(literal);
  std::string_view text = normal;
  const bool raw = text.starts_with('r') || text.starts_with('R');
  if (raw) text.remove_prefix(1);
  const bool is_long = text.size() >= 6 && (text.starts_with("'''") || text.starts_with("\"\"\""));
  const std::size_t quotes = is_long ? 3 : 1;
  if (text.size() < 2 * quotes) return std::unexpected("unable to unescape string");
  text = text.substr(quotes, text.size() - 2 * quotes);
  if (raw || !text.contains('\\')) return std::string(text);
  return Unescaper(text, is_bytes).all();
}

std::optional<std::int64_t> parse_int(std::string_view text, int base) {
  if (text.starts_with("+-")) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> parse_uint(std::string_view text, int base) {
  std::uint64_t value = 0;
  if (text.starts_with('-')) return std::nullopt;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<double> parse_double(std::string_view text) {
  bool negative = false;
  std::string_view rest = text;
  if (rest.starts_with('+') || rest.starts_with('-')) {
    negative = rest.front() == '-';
    rest.remove_prefix(1);
  }
  const double sign = negative ? -1.0 : 1.0;
  if (equals_ignoring_case(rest, "inf") || equals_ignoring_case(rest, "infinity"))
    return sign * std::numeric_limits<double>::infinity();
  if (equals_ignoring_case(text, "nan")) return std::numeric_limits<double>::quiet_NaN();
  const bool is_hex = rest.starts_with("0x") || rest.starts_with("0X");
  const auto plain = without_underscores(is_hex ? rest.substr(2) : rest, is_hex);
  // Go wants an exponent of hexadecimal numbers.
  if (!plain || (is_hex && plain->find_first_of("pP") == std::string::npos)) return std::nullopt;
  const std::string& digits = *plain;
  if (digits.empty() || !(hex_digit(digits[0]) >= 0 || digits[0] == '.')) return std::nullopt;
  if (!is_hex && digits[0] != '.' && (digits[0] < '0' || digits[0] > '9')) return std::nullopt;
  const auto value = finite(digits.data(), digits.data() + digits.size(),
                            is_hex ? std::chars_format::hex : std::chars_format::general);
  if (!value) return std::nullopt;
  return sign * *value;
}

}  // namespace winnow::cel
