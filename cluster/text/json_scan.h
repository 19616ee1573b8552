// Finds the parts of a JSON text without building values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace winnow {

/// A cursor over JSON text, for the outer levels of a request whose inner ones are read elsewhere or not at
/// all. Never recursive; at most kMaxDepth levels. Everything it hands out points into the text. After the
/// first error nothing is found any more. Strings are delimited but not checked inside.
class JsonScan {
 public:
  static constexpr int kMaxDepth = 64;

  explicit JsonScan(std::string_view text) : begin_(text.data()), at_(begin_), end_(begin_ + text.size()) {}

  /// Skips white space, and `c` if it is next. @return whether it was.
  bool eat(char c) {
    if (failed() || peek() != c) return false;
    ++at_;
    return true;
  }
  /// eat(), or an error.
  bool expect(char c);
  /// The next character that is not white space, 0 at the end.
  char peek() {
    skip_space();
    return at_ == end_ ? '\0' : *at_;
  }
  /// The next string, quotes included; empty after an error.
  std::string_view string();
  /// The next value of any kind, without white space around it; empty after an error.
  std::string_view value();
  /// An error unless only white space is left.
  bool expect_end();

  bool failed() const { return !error_.empty(); }
  /// "byte 17: expected ',' or '}', found 'x'"
  const std::string& error() const { return error_; }
  /// Notes an error at the cursor. @return false.
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

/// Whether a key, raw and with its quotes, is `name` in any case, as Go's decoder compares.
bool key_is(std::string_view raw_key, std::string_view name);

}  // namespace winnow
