#include "cluster/text/json_document.h"

#include <yaml-cpp/parser.h>

#include <algorithm>
#include <cstdint>
#include <format>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <spanstream>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/function_ref.h"
#include "cluster/memory_budget.h"
#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "cluster/text/json_scan.h"
#include "cluster/text/yaml_builder.h"

namespace winnow {

namespace {

/// The longest of what yaml-cpp says, which may be a whole anchor of the text.
constexpr std::size_t kLongestMessage = 400;

/// The place of the first character that text must not have, as kubectl's reader sees it: a byte that is not
/// UTF-8, or a control character other than a tab or the end of a line. Texts in UTF-16 begin with a mark,
/// and yaml-cpp decodes them.
std::optional<TextError> find_not_text(std::string_view text) {
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff")) return std::nullopt;
  const auto is_bad = [](char c) { return is_control(c) && c != '\t' && c != '\n' && c != '\r'; };
  const std::size_t control = static_cast<std::size_t>(std::ranges::find_if(text, is_bad) - text.begin());
  const std::size_t at = std::min(control, find_not_utf8(text));
  if (at >= text.size()) return std::nullopt;
  const std::string_view before = text.substr(0, at);
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  return TextError{1 + static_cast<std::size_t>(std::ranges::count(before, '\n')), 1 + at - start,
                   at == control ? std::format("not text: the control character 0x{:02x}", text[at])
                                 : "not text: bytes that are not UTF-8"};
}

}  // namespace

namespace {

TextError text_error(const YAML::Exception& error) {
  const bool known = !error.mark.is_null();
  return {known ? static_cast<std::size_t>(error.mark.line) + 1 : 1,
          known ? static_cast<std::size_t>(error.mark.column) + 1 : 1,
          "not YAML: " + one_line(error.msg, kLongestMessage)};
}

}  // namespace

std::string TextError::text() const { return std::format("line {}, column {}: {}", line, column, message); }

class DocumentReader::Source {
 public:
  virtual ~Source() = default;
  virtual std::expected<bool, TextError> next(rapidjson::Document& document) = 0;
  virtual std::optional<TextError> refused_by(Merges) const { return std::nullopt; }
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
  Yaml(std::string text, Merges merges, FunctionRef<void()> look)
      : text_(std::move(text)), stream_(std::span<char>(text_)), budget_(text_.size()), merges_(merges) {
    budget_.look = look;
  }

  std::expected<bool, TextError> next(rapidjson::Document& document) override {
    if (!std::exchange(looked_, true))
      if (auto error = find_not_text(text_)) return std::unexpected(std::move(*error));
    repeated_ = {};
    try {
      // The constructor reads from the stream, so it must be inside `try`.
      if (!parser_) parser_.emplace(stream_);
      const std::size_t before = budget_.taken.held();  // By the document before.
      YamlBuilder builder(document, budget_, merges_, repeated_);
      if (!parser_->HandleNextDocument(builder)) return false;
      budget_.taken.release(before);
      // After trailing junk yaml-cpp starts document after document at the same place.
      if (builder.start().pos <= last_start_)
        throw YAML::ParserException(builder.start(), "unexpected text after the end of a document");
      last_start_ = builder.start().pos;
      return true;
    } catch (const YAML::Exception& error) {
      return std::unexpected(text_error(error));
    }
  }

  std::optional<TextError> refused_by(Merges stricter) const override {
    const auto& error = stricter == Merges::kStrict ? repeated_.for_strict : repeated_.for_kubectl;
    return error.transform([](const YAML::ParserException& one) { return text_error(one); });
  }

 private:
  std::string text_;
  std::ispanstream stream_;
  YamlBudget budget_;
  Merges merges_;
  Repeated repeated_;    ///< In the last document.
  bool looked_ = false;  ///< Whether the text was searched for what is no text.
  std::optional<YAML::Parser> parser_;
  int last_start_ = -1;  ///< The start of the previous document.
};

DocumentReader::DocumentReader(std::string text, Merges merges, FunctionRef<void()> look) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  const bool json = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  if (json) {
    source_ = std::make_unique<Json>(std::move(text));
  } else {
    source_ = std::make_unique<Yaml>(std::move(text), merges, look);
  }
}

DocumentReader::~DocumentReader() = default;

std::expected<bool, TextError> DocumentReader::next(rapidjson::Document& document) try {
  const HeldToProcess held;
  return source_->next(document);
} catch (const MemoryExceeded& exceeded) {
  return std::unexpected(TextError{1, 1, exceeded.text()});
}

std::optional<TextError> DocumentReader::refused_by(Merges stricter) const {
  return source_->refused_by(stricter);
}

std::expected<Document, TextError> load_document(std::string text, FunctionRef<void()> look) {
  Document document;
  document.reader_ = std::make_unique<DocumentReader>(std::move(text), Merges::kKubectl, look);
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

namespace {

TextError text_error(JsonError error) { return {error.line, error.column, std::move(error.message)}; }

}  // namespace

std::optional<JsonList> JsonList::find(std::string& text) {
  JsonScan scan(text);
  std::string_view items;
  int found = 0;
  read_members(scan, [&](std::string_view key) {
    const std::string_view value = scan.value();
    // A key with an escape may be "items" too: such a text is read as a document.
    if (key.contains('\\')) found = 2;
    if (key != "items") return;
    items = value;
    ++found;
  });
  if (!scan.expect_end() || found != 1 || !items.starts_with('[')) return std::nullopt;
  const auto begin = static_cast<std::size_t>(items.data() - text.data());
  return JsonList(std::move(text), begin, begin + items.size());
}

namespace {

std::size_t newlines_in(std::string_view text) {
  // A block of a fixed size is counted by vector instructions.
  constexpr std::size_t kBlock = 64;
  std::size_t count = 0;
  for (; text.size() >= kBlock; text.remove_prefix(kBlock)) {
    std::uint8_t in_block = 0;
    for (std::size_t i = 0; i < kBlock; ++i)
      in_block = static_cast<std::uint8_t>(in_block + (text[i] == '\n' ? 1 : 0));
    count += in_block;
  }
  return count + static_cast<std::size_t>(std::ranges::count(text, '\n'));
}

}  // namespace

std::expected<void, TextError> JsonList::read_frame(rapidjson::Document& frame) {
  // With the lines of the items, so that errors behind them have the right line.
  const std::size_t lines = newlines_in(std::string_view(text_).substr(begin_, end_ - begin_));
  frame_ = text_.substr(0, begin_ + 1);
  frame_.append(lines, '\n').append("]").append(text_, end_);
  const std::size_t size = frame_.size();
  frame_.append(kJsonPadding, '\0');
  if (auto error = JsonText(frame_.data(), size).only(frame))
    return std::unexpected(text_error(std::move(*error)));
  return {};
}

std::expected<void, TextError> JsonList::for_each(
    FunctionRef<bool(const rapidjson::Document& element, std::size_t index)> visit) {
  const std::size_t size = text_.size();
  text_.append(kJsonPadding, '\0');
  JsonText json(text_.data(), size);
  json.skip_to(begin_ + 1);
  if (json.eat(']')) return {};
  // The elements' values take turns in one place: what each took and gave back would be torn by the objects
  // that are made of them.
  constexpr std::size_t kValueBytes = std::size_t{256} << 10, kStackBytes = std::size_t{4} << 10;
  std::vector<char> place(kValueBytes);
  rapidjson::MemoryPoolAllocator<> values(place.data(), place.size());
  for (std::size_t index = 0;; ++index) {
    values.Clear();
    rapidjson::Document element(&values, kStackBytes);
    if (auto error = json.next(element)) return std::unexpected(text_error(std::move(*error)));
    if (!visit(element, index)) return {};
    if (json.eat(']')) return {};
    if (!json.eat(','))
      return std::unexpected(
          text_error(json.error_here("not JSON: Missing a comma or ']' after an array element.")));
  }
}

namespace {

std::string_view name_of(const rapidjson::Value& name) { return {name.GetString(), name.GetStringLength()}; }

std::string path_to(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : std::format("{}.{}", path, name);
}

void keep_last(rapidjson::Value& value, const std::string& path, std::size_t most,
               std::vector<std::string>& twice) {
  if (value.IsArray())
    for (rapidjson::SizeType i = 0; i < value.Size(); ++i)
      keep_last(value[i], std::format("{}[{}]", path, i), most, twice);
  if (!value.IsObject()) return;
  std::map<std::string, std::size_t, std::less<>> last;
  std::size_t place = 0;
  for (const auto& member : value.GetObject()) last[std::string(name_of(member.name))] = place++;
  if (last.size() < value.MemberCount()) {
    place = 0;
    for (auto it = value.MemberBegin(); it != value.MemberEnd(); ++place) {
      const std::string name(name_of(it->name));
      if (last[name] == place) {
        ++it;
        continue;
      }
      const std::string at = path_to(path, name);
      if (twice.size() < most && !std::ranges::contains(twice, at)) twice.push_back(at);
      it = value.EraseMember(it);
    }
  }
  for (auto& member : value.GetObject())
    keep_last(member.value, path_to(path, name_of(member.name)), most, twice);
}

}  // namespace

std::vector<std::string> keep_last_keys(rapidjson::Value& root, std::size_t most) {
  std::vector<std::string> twice;
  keep_last(root, "", most, twice);
  return twice;
}

}  // namespace winnow
