#include "extender/replay/line_fields.h"

#include <algorithm>
#include <charconv>
#include <format>

#include "cluster/text/json/json_members.h"
#include "cluster/text/printable.h"
#include "cluster/text/utf8.h"

namespace winnow {
namespace {

constexpr std::size_t kShownOfValue = 40;

template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

LineFields::LineFields(std::string_view json) {
  JsonScan scan(json);
  const bool good =
      read_members(scan, [&](std::string_view key) { fields_.emplace_back(key, scan.value()); });
  if (good && scan.expect_end()) return;
  error_ = scan.error();
  fields_.clear();
}

void LineFields::fail(std::string_view key, std::string_view found, std::string_view expected) {
  if (error_.empty())
    error_ = std::format("{}: {}; expected {}", printable(key), printable(found), printable(expected));
}

std::optional<std::string_view> LineFields::find(std::string_view key) const {
  for (const auto& [name, value] : fields_)
    if (name == key) return value;
  return std::nullopt;
}

std::string_view LineFields::required(std::string_view key, std::string_view expected) {
  const auto value = find(key);
  if (!value) fail(key, "is missing", expected);
  return value.value_or(std::string_view());
}

std::string LineFields::text(std::string_view key) {
  const std::string_view value = required(key, "a string");
  std::string text;
  if (!value.starts_with('"') || !unescape(value, text))
    fail(key, utf8_shortened(value, kShownOfValue), "a string");
  return text;
}

std::uint64_t LineFields::number(std::string_view key) {
  const std::string_view value = required(key, "a whole number");
  const auto number = number_of<std::uint64_t>(value);
  if (!number) fail(key, utf8_shortened(value, kShownOfValue), "a whole number");
  return number.value_or(0);
}

double LineFields::real(std::string_view key) {
  const std::string_view value = required(key, "a number");
  const auto number = number_of<double>(value);
  if (!number) fail(key, utf8_shortened(value, kShownOfValue), "a number");
  return number.value_or(0);
}

bool LineFields::truth(std::string_view key) {
  const std::string_view value = required(key, "true or false");
  if (value != "true" && value != "false") fail(key, utf8_shortened(value, kShownOfValue), "true or false");
  return value == "true";
}

std::vector<std::string> LineFields::texts(std::string_view key) {
  std::vector<std::string> texts;
  const std::string_view value = required(key, "a list of strings");
  JsonScan scan(value);
  bool all = value.starts_with('[');
  if (all)
    all = read_elements(scan,
                        [&] {
                          const std::string_view element = scan.value();
                          all = all && element.starts_with('"') && unescape(element, texts.emplace_back());
                        }) &&
          all;
  if (!all) fail(key, utf8_shortened(value, kShownOfValue), "a list of strings");
  return texts;
}

std::size_t LineFields::word(std::string_view key, std::span<const std::string_view> words) {
  const std::string word = text(key);
  const auto found = std::ranges::find(words, word);
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  std::string all;
  for (const std::string_view one : words) all.append(all.empty() ? "" : " or ").append(one);
  fail(key, utf8_shortened(word, kShownOfValue), all);
  return 0;
}

std::vector<std::pair<std::string, std::string_view>> LineFields::members(std::string_view key) {
  std::vector<std::pair<std::string, std::string_view>> members;
  const std::string_view value = required(key, "an object");
  JsonScan scan(value);
  const bool good = value.starts_with('{') && read_members(scan, [&](std::string_view raw) {
                      std::string& name = members.emplace_back().first;
                      unescape("\"" + std::string(raw) + "\"", name);
                      members.back().second = scan.value();
                    });
  if (!good) fail(key, utf8_shortened(value, kShownOfValue), "an object");
  return members;
}

}  // namespace winnow
