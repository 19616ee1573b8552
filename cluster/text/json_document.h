// A reader of JSON or YAML text of files and configurations into RapidJSON values, and of lists by element.
// Only .cc files include this. Text that starts with '{' or '[' is JSON, all other text is YAML.
//
// YAML is read as kubectl reads it (sigs.k8s.io/yaml), by YAML 1.1. An unquoted yes, on or y is a boolean,
// 010 is eight and 1_000 a thousand. A quoted scalar is a string. Keys become strings, and "<<" merges. Two
// equal keys are an error. Limits: 64 levels, 50 million values, and aliases may not repeat more than the
// size of the text.
#pragma once

#include <rapidjson/document.h>

#include <cstddef>
#include <expected>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/function_ref.h"
#include "cluster/text/yaml_builder.h"

namespace winnow {

/// The place and the cause of an error in a text. Line and column count from 1.
struct TextError {
  std::size_t line = 1;
  std::size_t column = 1;
  std::string message;

  /// "line 3, column 7: MESSAGE"
  std::string text() const;
};

/// The documents of one text, in order. YAML documents are separated by "---", JSON documents need no
/// separator.
class DocumentReader {
 public:
  /// @param look  called now and then while YAML is read; what it throws ends the reading. Null: nothing is.
  ///   What it refers to outlives the last next().
  explicit DocumentReader(std::string text, Merges merges = Merges::kKubectl,
                          FunctionRef<void()> look = nullptr);
  ~DocumentReader();

  /// Reads the next document. Its strings point into this reader. @return false at the end.
  std::expected<bool, TextError> next(rapidjson::Document& document);

  /// With Merges::kTwice: the error that `stricter` has for the keys of the last document, or of what could
  /// be read of it. Nothing if it has none.
  std::optional<TextError> refused_by(Merges stricter) const;

 private:
  class Source;
  class Json;
  class Yaml;
  std::unique_ptr<Source> source_;
};

/// One document with the memory of its strings.
class Document {
 public:
  const rapidjson::Value& root() const { return *root_; }

 private:
  friend std::expected<Document, TextError> load_document(std::string text, FunctionRef<void()> look);
  std::unique_ptr<DocumentReader> reader_;
  std::unique_ptr<rapidjson::Document> root_;
};

/// Reads a text with one document. An empty text gives null. A second document that is not null is an error.
/// @param look  as for DocumentReader.
std::expected<Document, TextError> load_document(std::string text, FunctionRef<void()> look = nullptr);

/// Keeps of equal keys the last one, at all depths, as kubectl and Helm read YAML. For what Merges::kTwice
/// has read.
/// @return the paths of the keys that were there twice, `most` at most: "spec.nodeSelector".
std::vector<std::string> keep_last_keys(rapidjson::Value& root, std::size_t most);

// Internal: lists in JSON, read element by element. Only .cc files include this.
//
// A dump of a cluster is one list. As one RapidJSON document it would take several times the text's memory.

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
      FunctionRef<bool(const rapidjson::Document& element, std::size_t index)> visit);

 private:
  JsonList(std::string text, std::size_t begin, std::size_t end)
      : text_(std::move(text)), begin_(begin), end_(end) {}

  std::string text_;
  std::string frame_;  ///< The text without the items.
  std::size_t begin_;  ///< The offset of '['.
  std::size_t end_;    ///< The offset behind ']'.
};

}  // namespace winnow
