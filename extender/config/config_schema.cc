// The fields are constexpr tables in the shape of upstream's structs (config_release.cc, shared_args.cc …),
// and one function walks a file's JSON along them.
#include "extender/config/config_schema.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <limits>
#include <string_view>
#include <vector>

#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"
#include "cluster/text/go_format.h"
#include "cluster/text/json_reader.h"
#include "cluster/text/words.h"
#include "extender/config/config_release.h"
#include "extender/config/extenders.h"
#include "extender/config/removed_plugins.h"

namespace winnow {
namespace {

template <class T>
bool reads_as(const Reader& reader) {
  T ignored{};
  return read_value(reader, ignored);
}

bool check_float(const Reader& reader) {
  if (!reader.value().IsNumber()) return reader.fail("a number");
  return std::isfinite(static_cast<float>(reader.value().GetDouble())) || reader.fail("a 32-bit number");
}

bool check_duration(const Reader& reader) {
  if (!reader.is_null() && !reader.value().IsString()) return reader.fail("a duration as a string");
  if (!reader.is_null() && parse_go_duration(string_of(reader.value()))) return true;
  return reader.fail("a duration, like \"15s\" or \"1m30s\"");
}

/// Go also accepts bytes as a list of numbers.
bool check_byte_list(const Reader& reader) {
  return reader.for_each_element([](const Reader& byte) {
    return byte.is_null() || (byte.value().IsUint() && byte.value().GetUint() < 256) || byte.fail("a byte");
  });
}

bool check_bytes(const Reader& reader) {
  if (reader.value().IsArray()) return check_byte_list(reader);
  if (!reader.value().IsString()) return reader.fail("a string in base64");
  return from_base64(string_of(reader.value())).has_value() || reader.complain("not base64");
}

bool check_twice(const Reader& member, std::string_view key, std::vector<std::string_view>& seen) {
  if (std::ranges::find(seen, key) != seen.end()) return member.complain("the field is there twice");
  seen.push_back(key);
  return true;
}

bool check_object(const Reader& reader, const FieldType& type) {
  std::vector<std::string_view> seen;
  return reader.for_each_member([&](std::string_view key, const Reader& member) {
    const auto field = std::ranges::find(type.fields, key, &Field::name);
    if (field == type.fields.end()) {
      std::vector<std::string_view> names;
      for (const Field& known : type.fields) names.push_back(known.name);
      if (const auto moved = moved_field(key); &type == &kConfigV1 && !moved.empty())
        return member.complain(std::format("unknown field ({})", moved));
      return member.complain("unknown field" + did_you_mean(key, names));
    }
    return check_twice(member, key, seen) && check_fields(member, *field->type);
  });
}

bool check_map(const Reader& reader) {
  std::vector<std::string_view> seen;
  return reader.for_each_member([&](std::string_view key, const Reader& member) {
    return check_twice(member, key, seen) && (member.is_null() || reads_as<std::string>(member));
  });
}

}  // namespace

bool check_fields(const Reader& value, const FieldType& type) {
  if (type.kind == FieldKind::kDuration) return check_duration(value);
  if (value.is_null()) return true;
  switch (type.kind) {
    case FieldKind::kObject:
      return check_object(value, type);
    case FieldKind::kList:
      return value.for_each_element(
          [&](const Reader& element) { return check_fields(element, *type.element); });
    case FieldKind::kStringMap:
      return check_map(value);
    case FieldKind::kString:
      return reads_as<std::string>(value);
    case FieldKind::kBool:
      return reads_as<bool>(value);
    case FieldKind::kInt32:
      return reads_as<std::int32_t>(value);
    case FieldKind::kInt64:
      return reads_as<std::int64_t>(value);
    case FieldKind::kFloat32:
      return check_float(value);
    case FieldKind::kDuration:
    case FieldKind::kOptionalDuration:
      return check_duration(value);
    case FieldKind::kBytes:
      return check_bytes(value);
    case FieldKind::kAnything:
      return true;
  }
  return true;
}

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
