// Internal: a parser of JSON text for RapidJSON, and strings in JSON notation. Only .cc files include this.
//
// RapidJSON 1.1 is not safe by default. So it is told to parse iteratively, and the depth is limited as it
// parses. UTF-8 is checked beforehand, because RapidJSON's check reads past the end of the text. Numbers are
// read by std::from_chars.
#pragma once

#include <rapidjson/document.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/memory_budget.h"

namespace winnow {

/// The maximum depth of nested arrays and objects. Objects of the API are far below it.
inline constexpr int kMaxJsonDepth = 64;
/// What a value of a document takes, or a key: its places in lists that grow, and its place at the end.
inline constexpr std::size_t kJsonValueBytes = 56;
/// The number of writable zero bytes that must follow a text while it is parsed.
inline constexpr std::size_t kJsonPadding = 8;

/// The double that is nearest to a number in JSON's notation; nothing if it is too large for any. A number
/// too small for any but 0 is the smallest that is not 0.
std::optional<double> nearest_double(std::string_view number);

struct JsonError {
  std::size_t line = 1;
  std::size_t column = 1;  ///< In bytes, from 1.
  std::string message;
};

/// The values of one text, read in order and in place. Strings of a document point into the text, which is
/// overwritten and must outlive the document. Of equal keys in an object the document has all; use the last
/// one, as Go does. Integers are int64 or uint64, other numbers the nearest double.
///
/// What a document takes is charged (MemoryCharge) while it is parsed, until the next one is, or the text
/// goes.
class JsonText {
 public:
  /// @param text  `size` bytes followed by kJsonPadding zeros; not owned.
  JsonText(char* text, std::size_t size) : begin_(text), at_(text), end_(text + size), line_start_(text) {}

  /// Skips white space. @return whether the text ends there.
  bool at_end();
  /// Skips white space, and `c` if it comes next. @return whether it came next.
  bool eat(char c);
  /// Goes forward to that byte of the text, which must be between two tokens.
  void skip_to(std::size_t offset);
  /// Parses the next value into `document`. Do not call it again after an error.
  std::optional<JsonError> next(rapidjson::Document& document);
  /// Parses the only value. Any text after it is an error.
  std::optional<JsonError> only(rapidjson::Document& document);
  /// An error at the current place.
  JsonError error_here(std::string message) const { return error_at(at_, std::move(message)); }

 private:
  JsonError error_at(const char* place, std::string message) const;
  std::optional<JsonError> check_encoding();

  char* const begin_;
  char* at_;
  char* end_;
  char* line_start_;
  std::size_t line_ = 1;
  bool encoding_checked_ = false;
  MemoryCharge charge_;
};

// Strings in JSON notation.

/// Appends the text as a JSON string with quotes. Bytes that are not UTF-8 become U+FFFD.
void append_quoted(std::string& out, std::string_view text);

/// Appends one_line() of a message, such as an answer's error, as a JSON string with quotes.
void append_quoted_line(std::string& out, std::string_view text);

/// Decodes a raw string with its quotes into `text`. @return false if it is not valid JSON.
bool unescape(std::string_view raw, std::string& text);

}  // namespace winnow
