#include "cluster/text/json/document.h"

#include <yaml-cpp/parser.h>

#include <format>
#include <optional>
#include <spanstream>
#include <utility>

#include "cluster/text/json/json.h"
#include "cluster/text/json/yaml_builder.h"

namespace winnow {

std::string TextError::text() const { return std::format("line {}, column {}: {}", line, column, message); }

class DocumentReader::Source {
 public:
  virtual ~Source() = default;
  virtual std::expected<bool, TextError> next(rapidjson::Document& document) = 0;
};

class DocumentReader::Json final : public Source {
 public:
  explicit Json(std::string text)
      : size_(text.size()), text_(std::move(text.append(kJsonPadding, '\0'))), json_(text_.data(), size_) {}

  std::expected<bool, TextError> next(rapidjson::Document& document) override {
    if (json_.at_end()) return false;
    if (auto error = json_.next(document)) {
      return std::unexpected(TextError{error->line, error->column, std::move(error->message)});
    }
    return true;
  }

 private:
  std::size_t size_;
  std::string text_;
  JsonText json_;
};

class DocumentReader::Yaml final : public Source {
 public:
  Yaml(std::string text, Merges merges)
      : text_(std::move(text)), stream_(std::span<char>(text_)), budget_(text_.size()), merges_(merges) {}

  std::expected<bool, TextError> next(rapidjson::Document& document) override {
    try {
      // The constructor reads from the stream, so it must be inside `try`.
      if (!parser_) parser_.emplace(stream_);
      YamlBuilder builder(document, budget_, merges_ == Merges::kStrict);
      if (!parser_->HandleNextDocument(builder)) return false;
      // After trailing junk yaml-cpp starts document after document at the same place.
      if (builder.start().pos <= last_start_)
        throw YAML::ParserException(builder.start(), "unexpected text after the end of a document");
      last_start_ = builder.start().pos;
      return true;
    } catch (const YAML::Exception& error) {
      const bool known = !error.mark.is_null();
      return std::unexpected(TextError{known ? static_cast<std::size_t>(error.mark.line) + 1 : 1,
                                       known ? static_cast<std::size_t>(error.mark.column) + 1 : 1,
                                       "not YAML: " + error.msg});
    }
  }

 private:
  std::string text_;
  std::ispanstream stream_;
  YamlBudget budget_;
  Merges merges_;
  std::optional<YAML::Parser> parser_;
  int last_start_ = -1;  ///< The start of the previous document.
};

DocumentReader::DocumentReader(std::string text, Merges merges) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  if (json) {
    source_ = std::make_unique<Json>(std::move(text));
  } else {
    source_ = std::make_unique<Yaml>(std::move(text), merges);
  }
}

DocumentReader::~DocumentReader() = default;

std::expected<bool, TextError> DocumentReader::next(rapidjson::Document& document) {
  return source_->next(document);
}

std::expected<Document, TextError> load_document(std::string text) {
  Document document;
  document.reader_ = std::make_unique<DocumentReader>(std::move(text));
  document.root_ = std::make_unique<rapidjson::Document>();
  const auto first = document.reader_->next(*document.root_);
  if (!first) return std::unexpected(first.error());
  if (!*first) return document;
  rapidjson::Document more;
  while (true) {
    const auto second = document.reader_->next(more);
    if (!second) return std::unexpected(second.error());
    if (!*second) return document;
    if (!more.IsNull()) return std::unexpected(TextError{1, 1, "more than one document"});
  }
}

}  // namespace winnow
