#include "cluster/text/json_reader.h"

#include <algorithm>
#include <format>
#include <limits>

#include "cluster/text/characters.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json.h"

namespace winnow {
namespace {

bool is_plain_key(std::string_view key) {
  return !key.empty() &&
         std::ranges::all_of(key, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_'; });
}

/// A key in a path.
std::string render_key(std::string_view key) {
  const bool as_it_is = is_plain_key(key) && key.size() <= kMostQuoted;
  return as_it_is ? std::string(key) : '[' + go_quote(key) + ']';
}

std::string render_value(const rapidjson::Value& value) {
  constexpr std::size_t kMaxShown = 80;
  if (value.IsNull()) return "null";
  if (value.IsBool()) return value.GetBool() ? "true" : "false";
  if (value.IsNumber()) return number_text(value);
  if (value.IsObject()) return "an object";
  if (value.IsArray()) return "a list";
  return go_quote(string_of(value), kMaxShown);
}

template <class Integer>
bool read_integer(const Reader& reader, Integer& target, std::string_view expected) {
  using Limits = std::numeric_limits<Integer>;
  if (!reader.value().IsInt64()) return reader.fail(expected);
  const std::int64_t number = reader.value().GetInt64();
  if (number < Limits::min() || number > Limits::max()) return reader.fail(expected);
  target = static_cast<Integer>(number);
  return true;
}

}  // namespace

std::string_view string_of(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

std::string_view string_at(const rapidjson::Value& object, const char* key) {
  const auto member = object.FindMember(key);
  if (member == object.MemberEnd() || !member->value.IsString()) return {};
  return string_of(member->value);
}

std::string number_text(const rapidjson::Value& value) {
  if (value.IsInt64()) return std::to_string(value.GetInt64());
  if (value.IsUint64()) return std::to_string(value.GetUint64());
  return std::format("{}", value.GetDouble());
}

std::string render_path(const PathStep* path) {
  if (path == nullptr) return {};
  std::string text = render_path(path->parent);
  if (path->index) return text + std::format("[{}]", *path->index);
  const std::string key = render_key(path->key);
  if (!text.empty() && !key.starts_with('[')) text += '.';
  return text + key;
}

bool Reader::fail(std::string_view expected) const {
  return complain(std::format("{} is not {}", render_value(value_), expected));
}

bool Reader::complain(std::string_view what) const {
  error_ = render_path(path_);
  if (!error_.empty()) error_ += ": ";
  error_ += what;
  return false;
}

const rapidjson::Value* Reader::find(std::string_view key) const {
  // Search backwards: the last of equal keys counts.
  for (auto member = value_.MemberEnd(); member != value_.MemberBegin();) {
    --member;
    // Many fields are asked for that are not there: most names differ in their length or their first byte.
    const rapidjson::Value& name = member->name;
    if (name.GetStringLength() != key.size() || (!key.empty() && *name.GetString() != key.front())) continue;
    if (string_of(name) == key) return &member->value;
  }
  return nullptr;
}

bool Reader::has(std::string_view key) const {
  const rapidjson::Value* const member = find(key);
  return member != nullptr && !member->IsNull();
}

bool read_value(const Reader& reader, std::string& target) {
  if (!reader.value().IsString()) return reader.fail("a string");
  target = string_of(reader.value());
  return true;
}

bool read_value(const Reader& reader, bool& target) {
  if (!reader.value().IsBool()) return reader.fail("a boolean");
  target = reader.value().GetBool();
  return true;
}

bool read_value(const Reader& reader, std::int32_t& target) {
  return read_integer(reader, target, "a 32-bit integer");
}

bool read_value(const Reader& reader, std::int64_t& target) {
  return read_integer(reader, target, "a 64-bit integer");
}

// Recursive: the parser has bounded the depth (kMaxJsonDepth).
void append_value(std::string& out, const rapidjson::Value& value) {
  const char* joint = "";
  switch (value.GetType()) {
    case rapidjson::kNullType:
      out += "null";
      break;
    case rapidjson::kFalseType:
      out += "false";
      break;
    case rapidjson::kTrueType:
      out += "true";
      break;
    case rapidjson::kStringType:
      append_quoted(out, string_of(value));
      break;
    case rapidjson::kNumberType:
      out += number_text(value);
      break;
    case rapidjson::kArrayType:
      out += '[';
      for (const auto& element : value.GetArray()) {
        out += joint;
        append_value(out, element);
        joint = ",";
      }
      out += ']';
      break;
    case rapidjson::kObjectType:
      out += '{';
      for (const auto& member : value.GetObject()) {
        out += joint;
        append_quoted(out, string_of(member.name));
        out += ':';
        append_value(out, member.value);
        joint = ",";
      }
      out += '}';
      break;
  }
}

}  // namespace winnow
