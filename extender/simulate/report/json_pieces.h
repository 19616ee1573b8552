// JSON that is written piece by piece, for results that may be large.
#pragma once

#include <concepts>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "cluster/text/json/json_string.h"

namespace winnow {

/// JSON in the making, handed on in large pieces. The caller sees to commas, braces and the last flush().
class JsonPieces {
 public:
  explicit JsonPieces(const std::function<void(std::string_view)>& write) : write_(write) {}

  JsonPieces& raw(std::string_view text) {
    out_ += text;
    if (constexpr std::size_t kPiece = 1 << 16; out_.size() > kPiece) flush();
    return *this;
  }
  JsonPieces& text(std::string_view text) {
    append_quoted(out_, text);
    return *this;
  }
  JsonPieces& number(std::integral auto number) { return raw(std::to_string(number)); }
  JsonPieces& flag(bool value) { return raw(value ? "true" : "false"); }
  JsonPieces& key(std::string_view key) { return raw("\"").raw(key).raw("\":"); }
  void flush() {
    write_(out_);
    out_.clear();
  }
  /// The items with commas between them.
  void list(const auto& items, const auto& item) {
    raw("[");
    bool is_first = true;
    for (const auto& one : items) {
      if (!is_first) raw(",");
      is_first = false;
      item(one);
    }
    raw("]");
  }

 private:
  const std::function<void(std::string_view)>& write_;
  std::string out_;
};

}  // namespace winnow
