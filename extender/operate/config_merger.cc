#include "extender/operate/config_merger.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <format>

#include "cluster/text/characters.h"
#include "cluster/text/json.h"
#include "extender/config/plugin_table.h"

namespace winnow {
namespace {

/// Words that YAML 1.1 takes for something else than a string, in lower case.
constexpr std::array<std::string_view, 9> kReserved = {"y",   "n",    "yes",   "no",  "on",
                                                       "off", "true", "false", "null"};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

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

// Null stands for a field that is not there, as in Go: a null list or object is replaced where something goes
// into it.

namespace {

using rapidjson::Value;
using Names = std::vector<std::string_view>;

constexpr std::string_view kAll = "*";
/// The verbs of an extender: the way has exactly those of the shipped file.
constexpr std::string_view kVerbFields[] = {"filterVerb", "prioritizeVerb", "preemptVerb", "bindVerb"};
constexpr std::string_view kUrlField = "urlPrefix";
constexpr std::string_view kPercentageField = "percentageOfNodesToScore";

std::string_view string_in(const Value& value) {
  return value.IsString() ? std::string_view(value.GetString(), value.GetStringLength()) : std::string_view();
}

std::string_view name_in(const Value& entry) {
  if (!entry.IsObject()) return {};
  const auto found = entry.FindMember("name");
  return found == entry.MemberEnd() ? std::string_view() : string_in(found->value);
}

const Value* find_in(const Value& object, std::string_view key) {
  if (!object.IsObject()) return nullptr;
  for (const auto& member : object.GetObject())
    if (string_in(member.name) == key && !member.value.IsNull()) return &member.value;
  return nullptr;
}

class Putter {
 public:
  Putter(rapidjson::Document& file, const ConfigMerger& how)
      : file_(file), memory_(file.GetAllocator()), how_(how) {}

  void put(const Value& shipped) {
    percentage_ = find_in(shipped, kPercentageField);
    if (percentage_ != nullptr) set(file_, kPercentageField, *percentage_);
    put_extender((*find_in(shipped, "extenders"))[0]);
    const Value& profile = (*find_in(shipped, "profiles"))[0];
    if (find_in(profile, "plugins") == nullptr && percentage_ == nullptr) return;
    put_profiles(profile);
  }

 private:
  /// The object's member, made if it is missing or null.
  Value& at(Value& object, std::string_view key, rapidjson::Type type) {
    for (auto& member : object.GetObject())
      if (string_in(member.name) == key) {
        if (member.value.IsNull()) member.value = Value(type);
        return member.value;
      }
    object.AddMember(text(key), Value(type), memory_);
    return (object.MemberEnd() - 1)->value;
  }

  void set(Value& object, std::string_view key, const Value& value) {
    at(object, key, rapidjson::kNullType) = Value(value, memory_);
  }

  static void remove(Value& object, std::string_view key) {
    const auto found =
        std::ranges::find_if(object.MemberBegin(), object.MemberEnd(),
                             [key](const Value::Member& member) { return string_in(member.name) == key; });
    if (found != object.MemberEnd()) object.EraseMember(found);
  }

  Value text(std::string_view word) {
    return Value(word.data(), static_cast<rapidjson::SizeType>(word.size()), memory_);
  }

  Value named(std::string_view name) {
    Value entry(rapidjson::kObjectType);
    entry.AddMember("name", text(name), memory_);
    return entry;
  }

  void put_extender(const Value& shipped) {
    Value& list = at(file_, "extenders", rapidjson::kArrayType);
    const bool is_new = !how_.winnow;
    if (is_new) list.PushBack(Value(rapidjson::kObjectType), memory_);
    Value& entry = is_new ? list[list.Size() - 1] : list[static_cast<rapidjson::SizeType>(*how_.winnow)];
    for (const auto& member : shipped.GetObject())
      if (is_new || string_in(member.name) != kUrlField) set(entry, string_in(member.name), member.value);
    if (how_.url_prefix) at(entry, kUrlField, rapidjson::kNullType) = text(*how_.url_prefix);
    Value& weight = at(entry, "weight", rapidjson::kNumberType);
    if (weight.GetInt64() < how_.least_weight) weight.SetInt64(how_.least_weight);
    for (const std::string_view verb : kVerbFields)
      if (find_in(shipped, verb) == nullptr) remove(entry, verb);
  }

  void put_profiles(const Value& shipped) {
    Value& list = at(file_, "profiles", rapidjson::kArrayType);
    if (list.Empty()) {
      Value profile(rapidjson::kObjectType);
      profile.AddMember("schedulerName", text(how_.setup.profiles.front().scheduler_name), memory_);
      list.PushBack(profile, memory_);
    }
    for (rapidjson::SizeType i = 0; i < list.Size(); ++i) {
      if (list[i].IsNull()) list[i] = Value(rapidjson::kObjectType);
      put_profile(list[i], shipped, i);
    }
  }

  void put_profile(Value& profile, const Value& shipped, std::size_t index) {
    const SchedulerProfile& runs = how_.setup.profiles[index];
    if (percentage_ != nullptr && find_in(profile, kPercentageField) != nullptr)
      set(profile, kPercentageField, *percentage_);
    if (const Value* const plugins = find_in(shipped, "plugins"))
      for (const auto& point : plugins->GetObject())
        put_point(profile, string_in(point.name), *find_in(point.value, "disabled"), index);
    if (const Value* const config = find_in(shipped, "pluginConfig"))
      if (runs.runs("DefaultPreemption", Point::kPostFilter))
        for (const Value& one : config->GetArray()) put_args(profile, one);
  }

  /// Disables plugins at one extension point.
  void put_point(Value& profile, std::string_view field, const Value& disabled, std::size_t index) {
    const SchedulerProfile& runs = how_.setup.profiles[index];
    Names off;
    for (const Value& entry : disabled.GetArray()) {
      const std::string_view name = name_in(entry);
      const bool is_kept = index < how_.keeps.size() && std::ranges::contains(how_.keeps[index], name);
      if (name == kAll || (runs.runs(name, point_of(field)) && !is_kept)) off.push_back(name);
    }
    if (off.empty()) return;
    Value& point = at(at(profile, "plugins", rapidjson::kObjectType), field, rapidjson::kObjectType);
    if (off.front() == kAll)
      disable_all(point);
    else
      for (const std::string_view name : off) disable(point, name);
  }

  static Point point_of(std::string_view field) {
    for (std::size_t i = 0; i < kPoints; ++i)
      if (name_of(static_cast<Point>(i)).field == field) return static_cast<Point>(i);
    return Point::kFilter;
  }

  /// What is enabled at the point itself would go on: it goes, and what is disabled by name is in "*".
  void disable_all(Value& point) {
    remove(point, "enabled");
    Value& list = at(point, "disabled", rapidjson::kArrayType);
    if (list.Size() == 1 && name_in(list[0]) == kAll) return;
    list.Clear();
    list.PushBack(named(kAll), memory_);
  }

  void disable(Value& point, std::string_view name) {
    if (find_in(point, "enabled") != nullptr) {
      Value& enabled = at(point, "enabled", rapidjson::kArrayType);
      for (auto entry = enabled.Begin(); entry != enabled.End();)
        entry = name_in(*entry) == name ? enabled.Erase(entry) : entry + 1;
      if (enabled.Empty()) remove(point, "enabled");
    }
    Value& disabled = at(point, "disabled", rapidjson::kArrayType);
    const bool is_off = std::ranges::any_of(disabled.Begin(), disabled.End(), [&](const Value& entry) {
      return name_in(entry) == name || name_in(entry) == kAll;
    });
    if (!is_off) disabled.PushBack(named(name), memory_);
  }

  void put_args(Value& profile, const Value& shipped) {
    Value& list = at(profile, "pluginConfig", rapidjson::kArrayType);
    const auto found = std::ranges::find_if(
        list.Begin(), list.End(), [&](const Value& entry) { return name_in(entry) == name_in(shipped); });
    if (found == list.End()) {
      list.PushBack(Value(shipped, memory_), memory_);
      return;
    }
    Value& args = at(*found, "args", rapidjson::kObjectType);
    for (const auto& member : find_in(shipped, "args")->GetObject())
      set(args, string_in(member.name), member.value);
  }

  rapidjson::Document& file_;
  rapidjson::Document::AllocatorType& memory_;
  const ConfigMerger& how_;
  const Value* percentage_ = nullptr;
};

}  // namespace

void put_in(rapidjson::Document& file, const Value& shipped, const ConfigMerger& how) {
  Putter(file, how).put(shipped);
}

}  // namespace winnow
