#include "extender/config/scheduler_config/lenient_fields.h"

#include <algorithm>
#include <format>
#include <string_view>

#include "cluster/text/ascii.h"
#include "cluster/text/json/json_reader.h"
#include "extender/config/common/field_error.h"

namespace winnow {
namespace {

class Dropper {
 public:
  Dropper(rapidjson::Document::AllocatorType& memory, FieldNames names) : memory_(memory), names_(names) {}

  void drop(rapidjson::Value& value, const FieldType& type, const std::string& path) {
    if (type.kind == FieldKind::kList && value.IsArray()) {
      std::size_t index = 0;
      for (rapidjson::Value& one : value.GetArray()) drop(one, *type.element, element(path, index++));
    }
    if (type.kind == FieldKind::kObject && value.IsObject()) drop_members(value, type, path);
  }

  std::vector<std::string> take() { return std::move(dropped_); }

 private:
  const Field* find(const FieldType& type, std::string_view name) const {
    auto field = std::ranges::find(type.fields, name, &Field::name);
    if (field == type.fields.end() && names_ == FieldNames::kAnyCase)
      field = std::ranges::find_if(type.fields,
                                   [&](const Field& one) { return equal_but_for_case(one.name, name); });
    return field == type.fields.end() ? nullptr : &*field;
  }

  void drop_members(rapidjson::Value& object, const FieldType& type, const std::string& path) {
    rapidjson::Value kept(rapidjson::kObjectType);
    for (auto& member : object.GetObject()) {
      const Field* const field = find(type, string_of(member.name));
      if (field == nullptr) {
        note(child(path, string_of(member.name)));
        continue;
      }
      const auto size = static_cast<rapidjson::SizeType>(field->name.size());
      const rapidjson::Value name(rapidjson::StringRef(field->name.data(), size));
      drop(member.value, *field->type, child(path, field->name));
      if (const auto before = kept.FindMember(name); before != kept.MemberEnd()) {
        note(child(path, field->name));
        if (!member.value.IsNull()) before->value = member.value;
      } else {
        kept.AddMember(rapidjson::StringRef(field->name.data(), size), member.value, memory_);
      }
    }
    object = kept;
  }

  void note(std::string path) {
    if (std::ranges::find(dropped_, path) == dropped_.end()) dropped_.push_back(std::move(path));
  }

  rapidjson::Document::AllocatorType& memory_;
  const FieldNames names_;
  std::vector<std::string> dropped_;
};

}  // namespace

std::vector<std::string> drop_unused(rapidjson::Value& value, rapidjson::Document::AllocatorType& memory,
                                     const FieldType& type, FieldNames names, const std::string& path) {
  Dropper dropper(memory, names);
  dropper.drop(value, type, path);
  return dropper.take();
}

}  // namespace winnow
