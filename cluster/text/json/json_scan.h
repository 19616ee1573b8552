// A scanner that finds the parts of a JSON text without building values.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

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

}  // namespace winnow
