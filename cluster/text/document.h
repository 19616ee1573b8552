// JSON or YAML text to a RapidJSON value, for everything that is read from files: the cluster and the
// configuration. Only .cc files include this. Text that starts with '{' or '[' is JSON, all other is YAML.
//
// YAML is read as kubectl reads it (sigs.k8s.io/yaml): YAML 1.1, so an unquoted yes, on or y is a boolean,
// 010 is eight and 1_000 a thousand; what is quoted is a string; keys become strings; "<<" merges. Two equal
// keys are an error. Bounds: 64 levels, 50 million values, and what aliases repeat may not exceed the text's
// size.
#pragma once

#include <rapidjson/document.h>

#include <cstddef>
#include <expected>
#include <memory>
#include <string>

namespace winnow {

/// Where a text cannot be read, and why.
struct TextError {
  std::size_t line = 1;
  std::size_t column = 1;
  std::string message;

  /// "line 3, column 7: MESSAGE"
  std::string text() const;
};

/// Whether "<<" may bring a key that the map has itself (or that an earlier one brought), which then does not
/// count; kubectl takes that, the strict readers of configurations do not.
enum class Merges : bool { kKubectl, kStrict };

/// The documents of one text, one after another: YAML's separated by "---", JSON's by nothing.
class DocumentReader {
 public:
  explicit DocumentReader(std::string text, Merges merges = Merges::kKubectl);
  ~DocumentReader();

  /// Reads the next document; its strings point into this reader. @return false at the end.
  std::expected<bool, TextError> next(rapidjson::Document& document);

 private:
  class Source;
  class Json;
  class Yaml;
  std::unique_ptr<Source> source_;
};

/// One document and the memory that its strings are in.
class Document {
 public:
  const rapidjson::Value& root() const { return *root_; }

 private:
  friend std::expected<Document, TextError> load_document(std::string text);
  std::unique_ptr<DocumentReader> reader_;
  std::unique_ptr<rapidjson::Document> root_;
};

/// Reads a text that holds one document; an empty text is null, a second document is an error.
std::expected<Document, TextError> load_document(std::string text);

}  // namespace winnow
