#include "cluster/admission/unknown_fields.h"

#include <algorithm>
#include <format>
#include <map>
#include <ranges>
#include <utility>

#include "cluster/api/quantity.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/words.h"

namespace winnow {
namespace {

constexpr std::string_view kFields =
#include "cluster/admission/api_fields.inc"
    ;

struct Type;

/// A field, and what is below it.
struct Field {
  std::string_view name;
  std::string_view type;  ///< "": nothing is below it that could be misspelt.
  std::size_t lists = 0;  ///< How many lists or maps the objects are in.
};

struct Type {
  std::string_view name;
  std::vector<Field> fields;
};

Field field_of(std::string_view word) {
  const std::size_t colon = word.find(':');
  if (colon == std::string_view::npos) return {word, {}, 0};
  Field field{word.substr(0, colon), word.substr(colon + 1), 0};
  while (field.type.starts_with("[]") || field.type.starts_with("{}")) {
    field.type.remove_prefix(2);
    ++field.lists;
  }
  return field;
}

/// The types by their names.
const std::map<std::string_view, Type>& types() {
  static const std::map<std::string_view, Type> kTypes = [] {
    std::map<std::string_view, Type> made;
    for (const auto line : std::views::split(kFields, '\n')) {
      Type type;
      for (const auto word : std::views::split(std::string_view(line), ' ')) {
        const std::string_view text(word);
        if (type.name.empty())
          type.name = text;
        else
          type.fields.push_back(field_of(text));
      }
      if (!type.name.empty()) made.emplace(type.name, std::move(type));
    }
    return made;
  }();
  return kTypes;
}

const Type* find_type(std::string_view name) {
  const auto found = types().find(name);
  return found == types().end() ? nullptr : &found->second;
}

std::string child_of(std::string_view path, std::string_view name) {
  return path.empty() ? std::string(name) : std::format("{}.{}", path, name);
}

class Walk {
 public:
  explicit Walk(std::size_t most) : most_(most) {}

  void object(const rapidjson::Value& value, const Type& type, const std::string& path) {
    if (!value.IsObject()) return;  // The decoder says what is wrong.
    if (type.name == "ResourceRequirements" || type.name == "VolumeResourceRequirements")
      amounts(value, path);
    for (const auto& member : value.GetObject()) {
      if (lines_.size() >= most_) return;
      const std::string_view name = string_of(member.name);
      const auto field = std::ranges::find(type.fields, name, &Field::name);
      if (field == type.fields.end())
        unknown(name, type, path);
      else if (const Type* const below = find_type(field->type))
        within(member.value, *below, field->lists, child_of(path, name));
    }
  }

  std::vector<std::string> take() { return std::move(lines_); }

 private:
  void within(const rapidjson::Value& value, const Type& type, std::size_t lists, const std::string& path) {
    if (lists == 0) return object(value, type, path);
    if (value.IsArray())
      for (rapidjson::SizeType i = 0; i < value.Size(); ++i)
        within(value[i], type, lists - 1, std::format("{}[{}]", path, i));
    if (value.IsObject())
      for (const auto& member : value.GetObject())
        within(member.value, type, lists - 1, std::format("{}[{}]", path, string_of(member.name)));
  }

  void unknown(std::string_view name, const Type& type, const std::string& path) {
    std::vector<std::string_view> known;
    for (const Field& field : type.fields) known.push_back(field.name);
    lines_.push_back(std::format("unknown field \"{}\"{}", child_of(path, name), did_you_mean(name, known)));
  }

  /// An amount of bytes in thousandths is a slip for Mi.
  void amounts(const rapidjson::Value& resources, const std::string& path) {
    for (const char* const list : {"requests", "limits"}) {
      const auto found = resources.FindMember(list);
      if (found == resources.MemberEnd() || !found->value.IsObject()) continue;
      for (const auto& member : found->value.GetObject()) {
        const std::string_view name = string_of(member.name);
        const bool is_bytes = name == "memory" || name == "ephemeral-storage" || name == "storage" ||
                              name.starts_with("hugepages-");
        if (!is_bytes || !member.value.IsString() || lines_.size() >= most_) continue;
        const auto amount = Quantity::parse(string_of(member.value));
        if (amount && Quantity::of_units(amount->value()) != *amount)
          lines_.push_back(
              std::format("{}.{}[{}]: fractional byte value \"{}\" is invalid, must be an integer", path,
                          list, name, string_of(member.value)));
      }
    }
  }

  const std::size_t most_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> field_warnings(const Reader& object, std::string_view kind, std::string_view group,
                                        std::size_t most) {
  const std::size_t dot = group.find('.');
  const std::string_view first = group == "extensions" ? "apps" : group.substr(0, dot);
  const Type* const type = find_type(first.empty() ? std::string(kind) : std::format("{}.{}", kind, first));
  if (type == nullptr) return {};
  Walk walk(most);
  walk.object(object.value(), *type, "");
  return walk.take();
}

}  // namespace winnow
