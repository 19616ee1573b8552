// A reader of JSON or YAML text into RapidJSON values, for the cluster files and the configuration. Only .cc
// files include this. Text that starts with '{' or '[' is JSON, all other text is YAML.
//
// YAML is read as kubectl reads it (sigs.k8s.io/yaml), by YAML 1.1. An unquoted yes, on or y is a boolean,
// 010 is eight and 1_000 a thousand. A quoted scalar is a string. Keys become strings, and "<<" merges. Two
// equal keys are an error. Limits: 64 levels, 50 million values, and aliases may not repeat more than the
// size of the text.
#pragma once

#include <rapidjson/document.h>

#include <cstddef>
#include <expected>
#include <functional>
#include <memory>
#include <string>

#include "cluster/text/json/merges.h"

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
  explicit DocumentReader(std::string text, Merges merges = Merges::kKubectl,
                          std::function<void()> look = nullptr);
  ~DocumentReader();

  /// Reads the next document. Its strings point into this reader. @return false at the end.
  std::expected<bool, TextError> next(rapidjson::Document& document);

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
  friend std::expected<Document, TextError> load_document(std::string text, std::function<void()> look);
  std::unique_ptr<DocumentReader> reader_;
  std::unique_ptr<rapidjson::Document> root_;
};

/// Reads a text with one document. An empty text gives null. A second document that is not null is an error.
/// @param look  as for DocumentReader.
std::expected<Document, TextError> load_document(std::string text, std::function<void()> look = nullptr);

}  // namespace winnow
