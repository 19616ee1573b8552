#include "extender/configure/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <format>

#include "cluster/text/json/json_string.h"

namespace winnow {
namespace {

/// Words that YAML 1.1 takes for something else than a string, in lower case.
constexpr std::array<std::string_view, 9> kReserved = {"y",   "n",    "yes",   "no",  "on",
                                                       "off", "true", "false", "null"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

bool is_reserved(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](char c) {
    return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  });
  return std::ranges::contains(kReserved, lower);
}

/// A duration of one unit, such as 5s: digits and letters that no number has.
bool is_duration(std::string_view text) {
  const auto unit = std::ranges::find_if_not(text, is_digit);
  const std::string_view end(unit, text.end());
  return unit != text.begin() && (end == "s" || end == "m" || end == "h" || end == "ms");
}

/// Begins with a letter or '/', and has nothing in it that means something in YAML.
bool is_plain_word(std::string_view text) {
  const auto may_be_inside = [](char c) {
    return is_letter(c) || is_digit(c) || c == '/' || c == '.' || c == '-' || c == '_' || c == ':';
  };
  return !text.empty() && (is_letter(text.front()) || text.front() == '/') && text.back() != ':' &&
         std::ranges::all_of(text, may_be_inside) && !is_reserved(text);
}

/// Characters that JSON has in a string as they are, and that YAML has escaped or takes for the end of a
/// line.
std::string escape_for_yaml(std::string_view json) {
  std::string text;
  for (std::size_t at = 0; at < json.size(); ++at) {
    const std::string_view rest = json.substr(at);
    const auto is_c1 = rest.size() > 1 && rest[0] == '\xC2' && static_cast<unsigned char>(rest[1]) < 0xA0;
    if (rest[0] == '\x7F') {
      text += "\\x7F";
    } else if (is_c1) {
      text += std::format("\\x{:02X}", static_cast<unsigned char>(rest[1]));
      at += 1;
    } else if (rest.starts_with("\u2028") || rest.starts_with("\u2029")) {
      text += rest.starts_with("\u2028") ? "\\u2028" : "\\u2029";
      at += 2;
    } else if (rest.starts_with("\uFEFF")) {
      text += "\\uFEFF";
      at += 2;
    } else {
      text += rest[0];
    }
  }
  return text;
}

std::string_view text_of(const rapidjson::Value& value) {
  return {value.GetString(), value.GetStringLength()};
}

}  // namespace

std::string yaml_string(std::string_view text) {
  if (is_plain_word(text) || is_duration(text)) return std::string(text);
  std::string quoted;
  append_quoted(quoted, text);
  return escape_for_yaml(quoted);
}

std::string yaml_flow(const rapidjson::Value& value) {
  if (value.IsString()) return yaml_string(text_of(value));
  if (value.IsArray()) {
    std::string line;
    for (const rapidjson::Value& item : value.GetArray())
      line += (line.empty() ? "" : ", ") + yaml_flow(item);
    return "[" + line + "]";
  }
  if (value.IsObject()) {
    std::string line;
    for (const auto& member : value.GetObject())
      line += (line.empty() ? "" : ", ") + yaml_string(text_of(member.name)) + ": " + yaml_flow(member.value);
    return "{" + line + "}";
  }
  if (value.IsBool()) return value.GetBool() ? "true" : "false";
  if (value.IsInt64()) return std::to_string(value.GetInt64());
  if (value.IsUint64()) return std::to_string(value.GetUint64());
  return value.IsNumber() ? std::format("{}", value.GetDouble()) : "null";
}

}  // namespace winnow
