// Lists and maps that have not ended are on a stack. A value goes into the innermost one, and an ended one
// becomes a value there. Maps to merge are collected first and merged at the end of their map, so that the
// map's own keys win. An anchored value is copied, and each alias copies it again. Two budgets bound the
// memory for hostile input.
#include "cluster/text/yaml_builder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <format>
#include <optional>
#include <utility>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"
#include "cluster/text/json_reader.h"

namespace winnow {
namespace {

constexpr std::string_view kTrue[] = {"y",    "Y",    "yes", "Yes", "YES", "true",
                                      "True", "TRUE", "on",  "On",  "ON"};
constexpr std::string_view kFalse[] = {"n",     "N",     "no",  "No",  "NO", "false",
                                       "False", "FALSE", "off", "Off", "OFF"};
constexpr std::string_view kNull[] = {"", "~", "null", "Null", "NULL"};
constexpr std::string_view kNotNumbers[] = {".nan",  ".NaN",  ".NAN",  ".inf",  ".Inf",  ".INF",
                                            "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF"};

template <std::size_t N>
bool is_one_of(const std::string_view (&words)[N], std::string_view text) {
  return std::ranges::find(words, text) != std::end(words);
}

[[noreturn]] void fail(const YAML::Mark& mark, const std::string& message) {
  throw YAML::ParserException(mark, message);
}

/// Removes "0x", "0o", "0b" or a leading 0, and gives the base, as Go's base 0 does.
int take_base(std::string_view& digits) {
  if (digits.size() < 2 || digits[0] != '0') return 10;
  switch (digits[1]) {
    case 'x':
    case 'X':
      digits.remove_prefix(2);
      return 16;
    case 'o':
    case 'O':
      digits.remove_prefix(2);
      return 8;
    case 'b':
    case 'B':
      digits.remove_prefix(2);
      return 2;
    default:
      digits.remove_prefix(1);
      return 8;
  }
}

/// Reads an integer of 64 bits, signed or unsigned.
std::optional<rapidjson::Value> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty()) return std::nullopt;
  const int base = take_base(text);
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if (!negative) return rapidjson::Value(number);
  if (number > kSign) return std::nullopt;
  return rapidjson::Value(static_cast<std::int64_t>(0 - number));
}

/// Go's ParseFloat for decimal digits. A number that is too small is 0; one that is too large is no number.
std::optional<double> parse_real(std::string_view text) {
  const bool has_plus = text.starts_with('+');
  if (has_plus) text.remove_prefix(1);
  if (text.find_first_not_of("0123456789.eE+-") != std::string_view::npos) return std::nullopt;
  if (has_plus && (text.starts_with('+') || text.starts_with('-'))) return std::nullopt;
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc()) return number;
  return nearest_double(text) ? std::optional(0.0) : std::nullopt;
}

constexpr double kInt64End = 9223372036854775808.0;

}  // namespace

rapidjson::Value YamlBuilder::text_value(std::string_view text) {
  budget_.taken.add(text.size());
  return rapidjson::Value(text.data(), static_cast<rapidjson::SizeType>(text.size()), memory_);
}

/// The value of an unquoted scalar.
rapidjson::Value YamlBuilder::resolve(const YAML::Mark& mark, std::string_view text) {
  if (is_one_of(kNull, text)) return rapidjson::Value();
  if (is_one_of(kTrue, text)) return rapidjson::Value(true);
  if (is_one_of(kFalse, text)) return rapidjson::Value(false);
  if (is_one_of(kNotNumbers, text)) fail(mark, std::format("{} is not a number that JSON has", text));
  if (!std::string_view("+-.0123456789").contains(text[0])) return text_value(text);
  std::string plain(text);
  if (text[0] != '.') std::erase(plain, '_');
  if (auto integer = parse_integer(plain)) return std::move(*integer);
  const auto real = parse_real(plain);
  if (!real) return text_value(text);
  // JSON writes 8.0 as 8, so it is an integer there.
  if (std::trunc(*real) == *real && std::fabs(*real) < kInt64End)
    return rapidjson::Value(static_cast<std::int64_t>(*real));
  return rapidjson::Value(*real);
}

void YamlBuilder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  put(mark, anchor, rapidjson::Value());
}

void YamlBuilder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                           const std::string& value) {
  // A text in UTF-32 can have surrogates, and more than Unicode has.
  if (find_not_utf8(value) != std::string_view::npos) fail(mark, "bytes that are no characters");
  static constexpr std::string_view kResolved[] = {"?", "tag:yaml.org,2002:int", "tag:yaml.org,2002:float",
                                                   "tag:yaml.org,2002:bool", "tag:yaml.org,2002:null"};
  if (tag == "?" && value == "<<" && !open_.empty() && open_.back().value.IsObject() &&
      !open_.back().has_key) {
    open_.back().merging = open_.back().has_key = true;
    return;
  }
  put(mark, anchor, is_one_of(kResolved, tag) ? resolve(mark, value) : text_value(value));
}

void YamlBuilder::OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                                  YAML::EmitterStyle::value) {
  open(mark, anchor, rapidjson::kArrayType);
}

void YamlBuilder::OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                             YAML::EmitterStyle::value) {
  open(mark, anchor, rapidjson::kObjectType);
}

void YamlBuilder::OnMapEnd() {
  Open& map = open_.back();
  for (auto& from : map.merged) merge(map, from);
  close();
}

void YamlBuilder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  const auto found = anchors_.find(anchor);
  if (found == anchors_.end()) fail(mark, "an alias inside of what it stands for");
  spend_repeated(mark, found->second, open_.size());
  put(mark, 0, rapidjson::Value(found->second, memory_));
}

void YamlBuilder::open(const YAML::Mark& mark, YAML::anchor_t anchor, rapidjson::Type type) {
  if (open_.size() >= static_cast<std::size_t>(kMaxJsonDepth)) {
    fail(mark, std::format("nested deeper than {} levels", kMaxJsonDepth));
  }
  Open& opened = open_.emplace_back();
  opened.value = rapidjson::Value(type);
  opened.mark = mark;
  opened.anchor = anchor;
}

void YamlBuilder::close() {
  Open closed = std::move(open_.back());
  open_.pop_back();
  put(closed.mark, closed.anchor, std::move(closed.value));
}

void YamlBuilder::put(const YAML::Mark& mark, YAML::anchor_t anchor, rapidjson::Value value) {
  spend(mark);
  if (anchor != 0) {
    spend_repeated(mark, value, open_.size());
    anchors_[anchor] = rapidjson::Value(value, memory_);
  }
  if (open_.empty()) {
    static_cast<rapidjson::Value&>(document_) = std::move(value);
    return;
  }
  Open& parent = open_.back();
  if (parent.value.IsArray()) {
    parent.value.PushBack(std::move(value), memory_);
  } else if (!parent.has_key) {
    put_key(mark, parent, std::move(value));
  } else if (parent.merging) {
    put_merged(mark, parent, std::move(value));
  } else {
    parent.value.AddMember(std::move(parent.key), std::move(value), memory_);
    parent.has_key = false;
  }
}

void YamlBuilder::put_key(const YAML::Mark& mark, Open& map, rapidjson::Value value) {
  if (value.IsBool()) value = text_value(value.GetBool() ? "true" : "false");
  if (value.IsInt64()) value = text_value(std::to_string(value.GetInt64()));
  if (value.IsUint64()) value = text_value(std::to_string(value.GetUint64()));
  if (value.IsDouble()) value = text_value(std::format("{}", value.GetDouble()));
  if (!value.IsString()) fail(mark, "a key that is not a string");
  map.key = std::move(value);
  // A short string is stored inside its value, which moves. The set needs a copy that stays.
  const rapidjson::SizeType size = map.key.GetStringLength();
  char* const kept = static_cast<char*>(memory_.Malloc(size + 1));
  std::copy_n(map.key.GetString(), size, kept);
  if (!map.keys.emplace(kept, size).second)
    repeat(mark, std::format("the key {} is there twice", go_quote(string_of(map.key))), true);
  map.has_key = true;
}

void YamlBuilder::put_merged(const YAML::Mark& mark, Open& map, rapidjson::Value value) {
  map.merging = map.has_key = false;
  if (value.IsObject()) return map.merged.push_back(std::move(value));
  if (!value.IsArray()) fail(mark, "\"<<\" needs a map or a list of maps");
  for (auto& element : value.GetArray()) {
    if (!element.IsObject()) fail(mark, "\"<<\" needs a map or a list of maps");
    map.merged.emplace_back(std::move(element));
  }
}

/// Adds the members whose keys the map lacks.
void YamlBuilder::merge(Open& map, rapidjson::Value& from) {
  for (auto& member : from.GetObject()) {
    const std::string_view key = string_of(member.name);
    if (map.keys.contains(key)) {
      if (merges_ != Merges::kKubectl)
        repeat(map.mark, std::format("the key {} is there, and merged in", go_quote(key)), false);
      continue;
    }
    char* const kept = static_cast<char*>(memory_.Malloc(key.size() + 1));
    std::copy_n(key.data(), key.size(), kept);
    map.keys.emplace(kept, key.size());
    map.value.AddMember(std::move(member.name), std::move(member.value), memory_);
  }
}

void YamlBuilder::repeat(const YAML::Mark& mark, const std::string& message, bool is_written) {
  if (merges_ != Merges::kTwice) fail(mark, message);
  if (!repeated_.for_strict) repeated_.for_strict.emplace(mark, message);
  if (is_written && !repeated_.for_kubectl) repeated_.for_kubectl.emplace(mark, message);
}

void YamlBuilder::spend(const YAML::Mark& mark) {
  if (budget_.values-- == 0) fail(mark, "too many values");
  budget_.taken.add(kJsonValueBytes);
  constexpr std::size_t kBetweenLooks = 256;
  if (budget_.look && budget_.values % kBetweenLooks == 0) budget_.look();
}

/// Counts a value with all values inside. The depth is limited, so recursion is safe.
void YamlBuilder::spend_repeated(const YAML::Mark& mark, const rapidjson::Value& value, std::size_t depth) {
  const std::size_t cost = 1 + (value.IsString() ? value.GetStringLength() : 0);
  if (budget_.repeated < cost) fail(mark, "aliases repeat more than the text has");
  budget_.repeated -= cost;
  budget_.taken.add(cost + kJsonValueBytes);
  if (!value.IsObject() && !value.IsArray()) return;
  if (depth >= static_cast<std::size_t>(kMaxJsonDepth)) {
    fail(mark, std::format("nested deeper than {} levels", kMaxJsonDepth));
  }
  if (value.IsArray()) {
    for (const auto& element : value.GetArray()) spend_repeated(mark, element, depth + 1);
    return;
  }
  for (const auto& member : value.GetObject()) {
    spend_repeated(mark, member.name, depth + 1);
    spend_repeated(mark, member.value, depth + 1);
  }
}

}  // namespace winnow
