// The types of fields in a configuration file, and a plugin's arguments as a list of fields.
//
// A plugin declares a struct for its arguments, and a list of its fields: the name in the file, the member,
// and a check. The schema, the reader and the checks follow from the list; the defaults are the struct's own:
//
//   struct CoolNodesArgs {
//     std::string annotation;
//     std::int64_t max_percent = 85;
//   };
//   constexpr ArgsField<CoolNodesArgs> kFields[] = {
//       field<&CoolNodesArgs::annotation, label_name_required>("annotation"),
//       field<&CoolNodesArgs::max_percent, in_range<0, 100>>("maxPercent")};
//   constexpr ArgsSchema kSchema = args_schema<kFields>();
//
// Upstream: pkg/scheduler/apis/config/v1/defaults.go and validation/validation_pluginargs.go v1.37.0.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "cluster/rule/arguments.h"
#include "cluster/text/field_result.h"
#include "cluster/text/json_reader.h"

namespace winnow {

enum class FieldKind : std::uint8_t {
  kObject,
  kList,
  kStringMap,
  kString,
  kBool,
  kInt32,
  kInt64,
  kFloat32,
  kDuration,  ///< Null is an error too, as Go passes it to the parser of durations.
  kOptionalDuration,
  kBytes,     ///< Base64.
  kAnything,  ///< Not checked.
};

struct FieldType;

struct Field {
  std::string_view name;
  const FieldType* type;
};

struct FieldType {
  FieldKind kind;
  std::span<const Field> fields = {};  ///< Of an object.
  const FieldType* element = nullptr;  ///< Of a list.
};

/// The parts of schemas.
namespace fields {

inline constexpr FieldType kString{FieldKind::kString};
inline constexpr FieldType kBool{FieldKind::kBool};
inline constexpr FieldType kInt32{FieldKind::kInt32};
inline constexpr FieldType kInt64{FieldKind::kInt64};
inline constexpr FieldType kFloat32{FieldKind::kFloat32};
inline constexpr FieldType kDuration{FieldKind::kDuration};
inline constexpr FieldType kOptionalDuration{FieldKind::kOptionalDuration};
inline constexpr FieldType kBytes{FieldKind::kBytes};
inline constexpr FieldType kAnything{FieldKind::kAnything};
inline constexpr FieldType kStringMap{FieldKind::kStringMap};

/// Both keep references to their arguments.
constexpr FieldType object(std::span<const Field> members) { return {FieldKind::kObject, members, nullptr}; }
constexpr FieldType list_of(const FieldType& element) { return {FieldKind::kList, {}, &element}; }

inline constexpr FieldType kStrings = list_of(kString);

// The fields of a typed API object: of a configuration, and of a plugin's arguments.
inline constexpr Field kKind{"kind", &kString};
inline constexpr Field kApiVersion{"apiVersion", &kString};

inline constexpr Field kRequirementFields[] = {
    {"key", &kString}, {"operator", &kString}, {"values", &kStrings}};
inline constexpr FieldType kRequirement = object(kRequirementFields);
inline constexpr FieldType kRequirements = list_of(kRequirement);

inline constexpr Field kUtilizationPointFields[] = {{"utilization", &kInt32}, {"score", &kInt32}};
inline constexpr FieldType kUtilizationPoint = object(kUtilizationPointFields);
inline constexpr FieldType kUtilizationShape = list_of(kUtilizationPoint);

inline constexpr Field kWeighedResourceFields[] = {{"name", &kString}, {"weight", &kInt64}};
inline constexpr FieldType kWeighedResource = object(kWeighedResourceFields);
inline constexpr FieldType kWeighedResources = list_of(kWeighedResource);

/// The type of a field that is read into a T. Other types are given to field() by hand.
template <class T>
inline constexpr const FieldType* kTypeOf = nullptr;
template <>
inline constexpr const FieldType* kTypeOf<std::string> = &kString;
template <>
inline constexpr const FieldType* kTypeOf<bool> = &kBool;
template <>
inline constexpr const FieldType* kTypeOf<std::int64_t> = &kInt64;
template <>
inline constexpr const FieldType* kTypeOf<std::int32_t> = &kInt32;
template <>
inline constexpr const FieldType* kTypeOf<std::vector<std::string>> = &kStrings;
template <>
inline constexpr const FieldType* kTypeOf<UtilizationShape> = &kUtilizationShape;
template <>
inline constexpr const FieldType* kTypeOf<std::vector<WeighedResource>> = &kWeighedResources;

}  // namespace fields

bool read_fields(const Reader& r, UtilizationPoint& point);
/// A weight of 0 counts as absent, and an absent one is 0.
bool read_fields(const Reader& r, WeighedResource& resource);

// A plugin's arguments in a file.

/// A plugin's arguments, and whether they are valid. The check's result is kept apart, because upstream
/// checks the arguments of NodeResourcesFit only when it makes the plugin. In a profile without it they may
/// be invalid.
struct PluginArgs {
  Arguments values;  ///< Empty for a plugin that Winnow does not run.
  FieldResult sound;
};

/// A plugin's arguments as the file has them. The fields' names and types have been checked before.
struct WrittenArgs {
  const Reader& object;   ///< Empty: all defaults.
  std::string_view path;  ///< The object's path, for errors.
  /// Resources that the file's extenders have as ignoredByScheduler. If there are any, they replace
  /// NodeResourcesFit's own ignoredResources, as upstream does (buildExtenders of
  /// pkg/scheduler/scheduler.go).
  const std::vector<std::string>& ignored;
  std::string_view plugin = {};  ///< The name by which the file enables it.
};

/// The type of a plugin's arguments and their reader. Both members are references, so that neither can be
/// left out.
struct ArgsSchema {
  const FieldType& type;
  PluginArgs (&read)(const WrittenArgs& written);
};

/// One field of the arguments.
template <class Args>
struct ArgsField {
  std::string_view name;
  const FieldType* type;
  /// @return false with the reader's error set, for a value of a wrong type.
  bool (*read)(const Reader& object, std::string_view name, Args& args);
  /// @param path  of the field. Null: every value of the type is valid.
  FieldResult (*check)(const Args& args, std::string_view path);
};

namespace fields {

template <class>
struct OfMember;
template <class Args, class Value>
struct OfMember<Value Args::*> {
  using Struct = Args;
  using Type = Value;
};

/// For a field that every value fits.
inline constexpr auto kUnchecked = nullptr;

/// What a file of v1 has beside the arguments: kind and apiVersion.
enum class Typed : bool { kNo, kYes };

template <const auto& kFields, Typed kTyped>
inline constexpr auto kSchemaFields = [] {
  constexpr std::size_t kBefore = kTyped == Typed::kYes ? 2 : 0;
  std::array<Field, std::size(kFields) + kBefore> all{};
  if constexpr (kTyped == Typed::kYes) {
    all[0] = kKind;
    all[1] = kApiVersion;
  }
  for (std::size_t i = 0; i < std::size(kFields); ++i) all[kBefore + i] = {kFields[i].name, kFields[i].type};
  return all;
}();
template <const auto& kFields, Typed kTyped>
inline constexpr FieldType kSchemaType = object(kSchemaFields<kFields, kTyped>);

/// Names the struct of a field's arguments. It is not defined.
template <class Args>
Args args_of(const ArgsField<Args>& field);

template <const auto& kFields, auto kCheck>
PluginArgs read_args(const WrittenArgs& written) {
  decltype(args_of(kFields[0])) args;
  for (const auto& field : kFields) field.read(written.object, field.name, args);
  FieldResult sound;
  for (const auto& field : kFields)
    if (sound && field.check != nullptr) sound = field.check(args, child(written.path, field.name));
  if constexpr (!std::is_null_pointer_v<decltype(kCheck)>)
    if (sound) sound = kCheck(args, written.path);
  return {std::move(args), std::move(sound)};
}

}  // namespace fields

/// A field that is read into the member, unless it is absent. @param kCheck  a FieldResult(const T& value,
/// path); the first error of a list of fields counts. @param type  where the member's type does not say it.
template <auto kMember, auto kCheck = fields::kUnchecked>
constexpr auto field(
    std::string_view name,
    const FieldType* type = fields::kTypeOf<typename fields::OfMember<decltype(kMember)>::Type>) {
  using Args = typename fields::OfMember<decltype(kMember)>::Struct;
  ArgsField<Args> made{
      name, type,
      [](const Reader& object, std::string_view key, Args& args) { return object.read(key, args.*kMember); },
      nullptr};
  if constexpr (!std::is_null_pointer_v<decltype(kCheck)>)
    made.check = [](const Args& args, std::string_view path) -> FieldResult {
      return kCheck(args.*kMember, path);
    };
  return made;
}

/// The schema of a list of fields, with kind and apiVersion. @param kCheck  a FieldResult(const Args& args,
/// path of the arguments), for what no field's own check says; it comes last.
template <const auto& kFields, auto kCheck = fields::kUnchecked>
constexpr ArgsSchema args_schema() {
  return {fields::kSchemaType<kFields, fields::Typed::kYes>, fields::read_args<kFields, kCheck>};
}
/// The same without kind and apiVersion: of v1.18's plugins, which decode their arguments themselves.
template <const auto& kFields, auto kCheck = fields::kUnchecked>
constexpr ArgsSchema untyped_args_schema() {
  return {fields::kSchemaType<kFields, fields::Typed::kNo>, fields::read_args<kFields, kCheck>};
}

// Checks of fields.

inline constexpr std::int64_t kMaxPercent = 100;

/// Requires a value from `least` to `most`.
FieldResult check_range(std::string_view path, std::int64_t value, std::int64_t least, std::int64_t most);
/// Requires a qualified name, as of a label.
FieldResult check_label_name(std::string_view path, std::string_view name);
/// Requires at least one point, utilization strictly increasing, and scores from 0 to 10.
FieldResult check_shape(const UtilizationShape& shape, std::string_view path);
/// Requires weights from 1 to 100.
FieldResult check_resources(const std::vector<WeighedResource>& resources, std::string_view path);

inline bool is_one_of(std::span<const std::string_view> words, std::string_view word) {
  return std::ranges::find(words, word) != words.end();
}

/// The checks as field() takes them.
template <std::int64_t kLeast, std::int64_t kMost>
FieldResult in_range(std::int64_t value, std::string_view path) {
  return check_range(path, value, kLeast, kMost);
}
/// A qualified name, as of a label or an annotation; "" is none.
FieldResult label_name_required(const std::string& name, std::string_view path);

}  // namespace winnow
