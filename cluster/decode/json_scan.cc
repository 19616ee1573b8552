#include "cluster/decode/json_scan.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

namespace winnow {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

const char* skip_digits(const char* at, const char* end) {
  while (at != end && is_digit(*at)) ++at;
  return at;
}

/// Past a JSON number, or null.
const char* skip_number(const char* at, const char* end) {
  if (at != end && *at == '-') ++at;
  const char* digits = at;
  at = skip_digits(at, end);
  if (at == digits || (*digits == '0' && at - digits > 1)) return nullptr;
  if (at != end && *at == '.') {
    digits = ++at;
    if ((at = skip_digits(at, end)) == digits) return nullptr;
  }
  if (at != end && (*at == 'e' || *at == 'E')) {
    if (++at != end && (*at == '+' || *at == '-')) ++at;
    digits = at;
    if ((at = skip_digits(at, end)) == digits) return nullptr;
  }
  return at;
}

}  // namespace

bool JsonScan::fail(std::string_view expected) {
  if (failed()) return false;
  error_ = "byte " + std::to_string(at_ - begin_) + ": expected " + std::string(expected);
  if (at_ == end_) {
    error_ += ", found the end";
  } else if (*at_ >= ' ' && *at_ <= '~') {
    error_ += std::string(", found '") + *at_ + '\'';
  }
  return false;
}

bool JsonScan::expect(char c) {
  if (eat(c)) return true;
  return fail(std::string("'") + c + '\'');
}

bool JsonScan::expect_end() {
  if (failed()) return false;
  skip_space();
  return at_ == end_ || fail("nothing more");
}

bool JsonScan::skip_string() {
  const char* const start = at_++;
  while (const void* quote = std::memchr(at_, '"', static_cast<std::size_t>(end_ - at_))) {
    const char* const found = static_cast<const char*>(quote);
    const char* slash = found;
    while (slash[-1] == '\\' && slash - 1 > start) --slash;
    at_ = found + 1;
    if ((found - slash) % 2 == 0) return true;  // An even number of backslashes: the quote is not escaped.
  }
  at_ = end_;
  return fail("'\"'");
}

bool JsonScan::skip_scalar() {
  if (at_ == end_) return fail("a value");
  if (*at_ == '"') return skip_string();
  for (const std::string_view word : {"true", "false", "null"})
    if (std::string_view(at_, end_).starts_with(word)) {
      at_ += word.size();
      return true;
    }
  const char* const after = skip_number(at_, end_);
  if (!after) return fail("a value");
  at_ = after;
  return true;
}

bool JsonScan::skip_container() {
  std::array<char, kMaxDepth> closers;
  std::size_t depth = 0;
  bool want_value = true;  // Otherwise a ',' or the end of the innermost container.
  do {
    const char next = peek();
    if (want_value && (next == '{' || next == '[')) {
      if (depth == closers.size()) return fail("at most 64 levels");
      closers[depth++] = next == '{' ? '}' : ']';
      ++at_;
      if (eat(closers[depth - 1])) {
        --depth;
        want_value = false;
      } else if (next == '{' && !(peek() == '"' ? skip_string() && expect(':') : fail("a key"))) {
        return false;
      }
    } else if (want_value) {
      if (!skip_scalar()) return false;
      want_value = false;
    } else if (eat(closers[depth - 1])) {
      --depth;
    } else {
      if (!eat(',')) return fail(closers[depth - 1] == '}' ? "',' or '}'" : "',' or ']'");
      if (closers[depth - 1] == '}' && !(peek() == '"' ? skip_string() && expect(':') : fail("a key")))
        return false;
      want_value = true;
    }
  } while (depth > 0);
  return true;
}

std::string_view JsonScan::string() {
  if (failed()) return {};
  if (peek() != '"') {
    fail("a string");
    return {};
  }
  const char* const start = at_;
  return skip_string() ? std::string_view(start, at_) : std::string_view();
}

std::string_view JsonScan::value() {
  if (failed()) return {};
  const char next = peek();
  const char* const start = at_;
  const bool ok = next == '{' || next == '[' ? skip_container() : skip_scalar();
  return ok ? std::string_view(start, at_) : std::string_view();
}

bool key_is(std::string_view raw_key, std::string_view name) {
  std::string text;
  std::string_view key = raw_key.size() < 2 ? raw_key : raw_key.substr(1, raw_key.size() - 2);
  if (key.contains('\\')) {
    if (!unescape(raw_key, text)) return false;
    key = text;
  }
  return std::ranges::equal(key, name, [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  });
}

bool unescape(std::string_view raw, std::string& text) {
  // The parser's check of UTF-8 may read behind a text that ends in the middle of a character.
  std::string padded(raw);
  padded.append(8, '\0');
  rapidjson::Document document;
  rapidjson::MemoryStream stream(padded.data(), raw.size());
  document.ParseStream<rapidjson::kParseValidateEncodingFlag, rapidjson::UTF8<>>(stream);
  if (document.HasParseError() || !document.IsString()) return false;
  text.assign(document.GetString(), document.GetStringLength());
  return true;
}

namespace {

/// The length of the UTF-8 character at the start of text, 0 where it is not valid.
std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const auto follows = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef)
    return follows(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
  if (first >= 0xf0 && first <= 0xf4)
    return follows(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3)
               ? 4
               : 0;
  return 0;
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const auto c = static_cast<unsigned char>(text.front());
    if (c == '"' || c == '\\') {
      out += '\\';
      out += text.front();
    } else if (c < 0x20) {
      out.append("\\u00").append(1, kHex[c >> 4]).append(1, kHex[c & 15]);
    } else if (const std::size_t length = character_length(text); length > 0) {
      out.append(text.substr(0, length));
      text.remove_prefix(length);
      continue;
    } else {
      out += "\xef\xbf\xbd";
    }
    text.remove_prefix(1);
  }
  out += '"';
}

}  // namespace winnow
