// Null stands for a field that is not there, as in Go: a null list or object is replaced where something goes
// into it.
#include "extender/configure/put_in.h"

#include <algorithm>

#include "extender/config/scheduler_config/releases/extension_points.h"

namespace winnow {
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
  Putter(rapidjson::Document& file, const PutIn& how)
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
  const PutIn& how_;
  const Value* percentage_ = nullptr;
};

}  // namespace

void put_in(rapidjson::Document& file, const Value& shipped, const PutIn& how) {
  Putter(file, how).put(shipped);
}

}  // namespace winnow
