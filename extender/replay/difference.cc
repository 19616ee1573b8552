#include "extender/replay/difference.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <format>

#include "cluster/text/json/document.h"
#include "cluster/text/json/json_reader.h"
#include "cluster/text/json/json_write.h"
#include "cluster/text/utf8.h"

namespace winnow {
namespace {

constexpr std::size_t kShown = 120;

std::string shown(const rapidjson::Value* value) {
  if (value == nullptr) return "nothing";
  std::string text;
  append_value(text, *value);
  return utf8_shortened(text, kShown);
}

const rapidjson::Value* member(const rapidjson::Value& object, std::string_view key) {
  for (const auto& one : object.GetObject())
    if (string_of(one.name) == key) return &one.value;
  return nullptr;
}

/// What people call an element of a list; "": nothing but its index.
std::string_view name_of(const rapidjson::Value& element) {
  if (!element.IsObject()) return {};
  for (const char* const key : {"Host", "node", "name"})
    if (const std::string_view name = string_at(element, key); !name.empty()) return name;
  return {};
}

/// The walk over both values.
class Comparison {
 public:
  explicit Comparison(std::size_t most) : most_(most) {}
  void compare(const std::string& path, const rapidjson::Value& recorded, const rapidjson::Value& now);
  std::vector<std::string> lines;

 private:
  void compare_members(const std::string& path, const rapidjson::Value& recorded,
                       const rapidjson::Value& now);
  void compare_elements(const std::string& path, const rapidjson::Value& recorded,
                        const rapidjson::Value& now);
  void tell(const std::string& path, const rapidjson::Value* recorded, const rapidjson::Value* now) {
    if (lines.size() < most_)
      lines.push_back(
          std::format("{}: {}, now {}", path.empty() ? "the answer" : path, shown(recorded), shown(now)));
  }
  const std::size_t most_;
};

std::string inner(const std::string& path, std::string_view key) {
  return path.empty() ? std::string(key) : std::format("{}.{}", path, key);
}

void Comparison::compare_members(const std::string& path, const rapidjson::Value& recorded,
                                 const rapidjson::Value& now) {
  for (const auto& one : recorded.GetObject()) {
    const std::string_view key = string_of(one.name);
    if (const rapidjson::Value* const other = member(now, key))
      compare(inner(path, key), one.value, *other);
    else
      tell(inner(path, key), &one.value, nullptr);
  }
  for (const auto& one : now.GetObject())
    if (const std::string_view key = string_of(one.name); !member(recorded, key))
      tell(inner(path, key), nullptr, &one.value);
}

void Comparison::compare_elements(const std::string& path, const rapidjson::Value& recorded,
                                  const rapidjson::Value& now) {
  for (rapidjson::SizeType i = 0; i < std::max(recorded.Size(), now.Size()); ++i) {
    const rapidjson::Value* const before = i < recorded.Size() ? &recorded[i] : nullptr;
    const rapidjson::Value* const after = i < now.Size() ? &now[i] : nullptr;
    const std::string_view name = name_of(before ? *before : *after);
    const std::string step = name.empty() ? std::format("{}[{}]", path, i) : inner(path, name);
    if (before && after)
      compare(step, *before, *after);
    else
      tell(step, before, after);
  }
}

void Comparison::compare(const std::string& path, const rapidjson::Value& recorded,
                         const rapidjson::Value& now) {
  if (lines.size() >= most_) return;
  if (recorded.IsObject() && now.IsObject()) return compare_members(path, recorded, now);
  if (recorded.IsArray() && now.IsArray()) return compare_elements(path, recorded, now);
  if (recorded != now) tell(path, &recorded, &now);
}

}  // namespace

std::vector<std::string> find_differences(std::string_view recorded, std::string_view now, std::size_t most) {
  if (recorded == now) return {};
  // Text that is no JSON would be read as YAML.
  const bool both_json = (recorded.starts_with('{') || recorded.starts_with('[')) &&
                         (now.starts_with('{') || now.starts_with('['));
  const auto before = load_document(both_json ? std::string(recorded) : "");
  const auto after = load_document(both_json ? std::string(now) : "");
  Comparison comparison(most);
  if (both_json && before && after) comparison.compare("", before->root(), after->root());
  // The same values in other bytes, or no values.
  if (comparison.lines.empty())
    comparison.lines.push_back(
        std::format("the text: {}, now {}", utf8_shortened(recorded, kShown), utf8_shortened(now, kShown)));
  return comparison.lines;
}

}  // namespace winnow
