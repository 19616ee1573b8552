// Internal: lists in JSON, read element by element. Only .cc files include this.
//
// A dump of a cluster is one list. As one RapidJSON document it would take several times the text's memory.
#pragma once

#include <rapidjson/document.h>

#include <cstddef>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "cluster/text/json/document.h"

namespace winnow {

/// A text that is one JSON object with a list `items`.
class JsonList {
 public:
  /// @return nothing if the text is anything else, or not JSON; the text is unchanged then. Otherwise the
  /// list,
  ///   which has taken the text.
  static std::optional<JsonList> find(std::string& text);

  /// Reads the object without its items: `items` is empty. To be called before for_each(). The frame's
  /// strings point into this list.
  std::expected<void, TextError> read_frame(rapidjson::Document& frame);

  /// Calls `visit` with each element and its index, in order. The element's strings point into this list, and
  /// are valid during the call. Ends when `visit` returns false.
  /// @return the error of the text, if there is one.
  std::expected<void, TextError> for_each(
      const std::function<bool(const rapidjson::Document& element, std::size_t index)>& visit);

 private:
  JsonList(std::string text, std::size_t begin, std::size_t end)
      : text_(std::move(text)), begin_(begin), end_(end) {}

  std::string text_;
  std::string frame_;  ///< The text without the items.
  std::size_t begin_;  ///< The offset of '['.
  std::size_t end_;    ///< The offset behind ']'.
};

}  // namespace winnow
