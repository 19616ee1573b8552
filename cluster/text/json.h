// Internal: JSON text to a RapidJSON document, safe on any input. Only .cc files include this.
//
// RapidJSON 1.1 is held away from its traps: it parses iteratively, the depth is bounded as it goes, UTF-8
// is checked beforehand (its own check reads behind the text), numbers are read by std::from_chars.
#pragma once

#include <rapidjson/document.h>

#include <cstddef>
#include <optional>
#include <string>

namespace winnow {

/// How many arrays and objects may stand in each other. Nothing in the API comes near.
inline constexpr int kMaxJsonDepth = 64;
/// Writable zero bytes that must stand behind a text while it is parsed.
inline constexpr std::size_t kJsonPadding = 8;

struct JsonError {
  std::size_t line = 1;
  std::size_t column = 1;  ///< In bytes, from 1.
  std::string message;
};

/// Reads the values of one text, one after another, in place: strings of a document point into the text,
/// which is spoiled and must live as long. Among equal keys of an object all are in the document (use the
/// last one, as Go does). Integers come as int64 or uint64, every other number as the nearest double.
class JsonText {
 public:
  /// @param text `size` bytes and kJsonPadding zeros behind them; not owned.
  JsonText(char* text, std::size_t size) : at_(text), end_(text + size), line_start_(text) {}

  /// Skips white space; whether nothing follows it.
  bool at_end();
  /// Parses the next value into `document`. After an error no more can be read.
  std::optional<JsonError> next(rapidjson::Document& document);
  /// Parses the only value; anything behind it is an error.
  std::optional<JsonError> only(rapidjson::Document& document);

 private:
  JsonError error_at(const char* place, std::string message) const;
  std::optional<JsonError> check_encoding();

  char* at_;
  char* end_;
  char* line_start_;
  std::size_t line_ = 1;
  bool encoding_checked_ = false;
};

}  // namespace winnow
