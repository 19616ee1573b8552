// A scanner of JSON text, which finds its parts and the members of objects without building values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "cluster/text/json.h"

namespace winnow {

/// A cursor over JSON text, for the outer levels of a request. The inner levels are read elsewhere, or not at
/// all. It is never recursive and allows kMaxDepth levels. All results point into the text. After the first
/// error nothing more is found. Strings are delimited, but their content is not checked.
class JsonScan {
 public:
  static constexpr int kMaxDepth = 64;

  explicit JsonScan(std::string_view text) : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  /// Skips white space, and `c` if it comes next. @return whether `c` came next.
  bool eat(char c) {
    if (failed() || peek() != c) return false;
    ++at_;
    return true;
  }
  /// Like eat(), but anything else is an error.
  bool expect(char c);
  /// The next character that is not white space; 0 at the end.
  char peek() {
    skip_space();
    return at_ == end_ ? '\0' : *at_;
  }
  /// The next string with its quotes; empty after an error.
  std::string_view string();
  /// The next value of any kind, without white space around it; empty after an error.
  std::string_view value();
  /// Sets an error unless only white space is left.
  bool expect_end();

  bool failed() const { return !error_.empty(); }
  /// The error's text: "byte 17: expected ',' or '}', found 'x'".
  const std::string& error() const { return error_; }
  /// Sets an error at the cursor. @return false.
  bool fail(std::string_view expected);

  const char* position() const { return at_; }
  void move_to(const char* position) { at_ = position; }
  const char* end() const { return end_; }

 private:
  void skip_space() {
    while (at_ != end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
  }
  bool skip_string();
  bool skip_scalar();
  bool skip_container();

  const char* begin_;
  const char* at_;
  const char* end_;
  std::string error_;
};

/// Whether a raw key, with its quotes, equals `name` in any case, as Go's decoder compares.
bool key_is(std::string_view raw_key, std::string_view name);

// Internal: the members of JSON objects, read with JsonScan. Only .cc files include this.

/// Calls member(key) at the value of each member of the object at the cursor. member() must move the cursor
/// past the value. Keys are raw, without quotes. @return false for invalid text, with an error at the cursor.
template <class Member>
bool read_members(JsonScan& scan, Member&& member) {
  if (!scan.expect('{')) return false;
  if (scan.eat('}')) return true;
  do {
    std::string_view key = scan.string();
    if (!scan.expect(':')) return false;
    key.remove_prefix(1);
    key.remove_suffix(1);
    member(key);
    if (scan.failed()) return false;
  } while (scan.eat(','));
  return scan.expect('}');
}

/// Calls element() at each value of the array at the cursor; null counts as an empty array.
template <class Element>
bool read_elements(JsonScan& scan, Element&& element) {
  if (scan.peek() == 'n') return scan.value() == "null";
  if (!scan.expect('[')) return false;
  if (scan.eat(']')) return true;
  do {
    element();
    if (scan.failed()) return false;
  } while (scan.eat(','));
  return scan.expect(']');
}

/// Moves past a value. @return the raw content of a string; "" for any other value.
inline std::string_view raw_string(JsonScan& scan) {
  const std::string_view value = scan.value();
  return value.size() >= 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : std::string_view();
}

/// The same, with escapes resolved.
inline std::string string_text(JsonScan& scan) {
  const std::string_view value = scan.value();
  std::string text;
  if (!value.empty() && value.front() == '"') unescape(value, text);
  return text;
}

/// Moves past a value. Members are read if it is an object.
template <class Member>
void read_object(JsonScan& scan, Member&& member) {
  if (scan.peek() == '{')
    read_members(scan, member);
  else
    scan.value();
}

}  // namespace winnow
