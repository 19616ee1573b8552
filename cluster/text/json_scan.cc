#include "cluster/text/json_scan.h"

#include <array>
#include <cstring>

#include "cluster/text/characters.h"
#include "cluster/text/json.h"

namespace winnow {
namespace {

const char* skip_digits(const char* at, const char* end) {
  while (at != end && is_digit(*at)) ++at;
  return at;
}

/// The end of a JSON number; null if there is none.
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
  bool want_value = true;  // Otherwise a ',' or the end of the innermost container comes next.
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
  return equal_but_for_case(key, name);
}

}  // namespace winnow
