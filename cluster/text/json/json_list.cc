#include "cluster/text/json/json_list.h"

#include <algorithm>
#include <utility>

#include "cluster/text/json/json.h"
#include "cluster/text/json/json_members.h"

namespace winnow {
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

std::expected<void, TextError> JsonList::read_frame(rapidjson::Document& frame) {
  // With the lines of the items, so that errors behind them have the right line.
  const auto lines = std::count(text_.begin() + static_cast<std::ptrdiff_t>(begin_),
                                text_.begin() + static_cast<std::ptrdiff_t>(end_), '\n');
  frame_ = text_.substr(0, begin_ + 1);
  frame_.append(static_cast<std::size_t>(lines), '\n').append("]").append(text_, end_);
  const std::size_t size = frame_.size();
  frame_.append(kJsonPadding, '\0');
  if (auto error = JsonText(frame_.data(), size).only(frame))
    return std::unexpected(text_error(std::move(*error)));
  return {};
}

std::expected<void, TextError> JsonList::for_each(
    const std::function<bool(const rapidjson::Document& element, std::size_t index)>& visit) {
  const std::size_t size = text_.size();
  text_.append(kJsonPadding, '\0');
  JsonText json(text_.data(), size);
  json.skip_to(begin_ + 1);
  if (json.eat(']')) return {};
  for (std::size_t index = 0;; ++index) {
    rapidjson::Document element;
    if (auto error = json.next(element)) return std::unexpected(text_error(std::move(*error)));
    if (!visit(element, index)) return {};
    if (json.eat(']')) return {};
    if (!json.eat(','))
      return std::unexpected(
          text_error(json.error_here("not JSON: Missing a comma or ']' after an array element.")));
  }
}

}  // namespace winnow
