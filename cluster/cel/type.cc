#include "cluster/cel/type.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace winnow::cel {
namespace {

/// What a name of protobuf stands for.
std::optional<Type> well_known(std::string_view name) {
  constexpr std::string_view kPackage = "google.protobuf.";
  if (!name.starts_with(kPackage)) return std::nullopt;
  name.remove_prefix(kPackage.size());
  const std::array<std::pair<std::string_view, Type>, 15> kKnown = {{
      {"BoolValue", Type::nullable(Type::boolean())},
      {"BytesValue", Type::nullable(Type::bytes())},
      {"DoubleValue", Type::nullable(Type::real())},
      {"FloatValue", Type::nullable(Type::real())},
      {"Int64Value", Type::nullable(Type::integer())},
      {"Int32Value", Type::nullable(Type::integer())},
      {"UInt64Value", Type::nullable(Type::unsigned_integer())},
      {"UInt32Value", Type::nullable(Type::unsigned_integer())},
      {"StringValue", Type::nullable(Type::string())},
      {"Any", Type::any()},
      {"Duration", Type::duration()},
      {"Timestamp", Type::timestamp()},
      {"ListValue", Type::list(Type::dyn())},
      {"Struct", Type::map(Type::string(), Type::dyn())},
      {"Value", Type::dyn()},
  }};
  const auto* found = std::ranges::find(kKnown, name, &std::pair<std::string_view, Type>::first);
  if (found == kKnown.end()) return std::nullopt;
  return found->second;
}

}  // namespace

Type::Type() : Type(dyn()) {}

Type Type::of(TypeKind kind, std::string name, std::vector<Type> parameters, bool nullable) {
  return Type(std::make_shared<const Data>(Data{kind, nullable, std::move(name), std::move(parameters)}));
}

// The simple types exist once.
Type Type::dyn() {
  static const Type kType = of(TypeKind::kDyn, "dyn");
  return kType;
}
Type Type::any() {
  static const Type kType = of(TypeKind::kAny, "google.protobuf.Any");
  return kType;
}
Type Type::boolean() {
  static const Type kType = of(TypeKind::kBool, "bool");
  return kType;
}
Type Type::bytes() {
  static const Type kType = of(TypeKind::kBytes, "bytes");
  return kType;
}
Type Type::real() {
  static const Type kType = of(TypeKind::kDouble, "double");
  return kType;
}
Type Type::duration() {
  static const Type kType = of(TypeKind::kDuration, "google.protobuf.Duration");
  return kType;
}
Type Type::error() {
  static const Type kType = of(TypeKind::kError, "error");
  return kType;
}
Type Type::integer() {
  static const Type kType = of(TypeKind::kInt, "int");
  return kType;
}
Type Type::null() {
  static const Type kType = of(TypeKind::kNull, "null_type");
  return kType;
}
Type Type::string() {
  static const Type kType = of(TypeKind::kString, "string");
  return kType;
}
Type Type::timestamp() {
  static const Type kType = of(TypeKind::kTimestamp, "google.protobuf.Timestamp");
  return kType;
}
Type Type::unsigned_integer() {
  static const Type kType = of(TypeKind::kUint, "uint");
  return kType;
}
Type Type::type() {
  static const Type kType = of(TypeKind::kType, "type");
  return kType;
}

Type Type::list(Type element) { return of(TypeKind::kList, "list", {std::move(element)}); }
Type Type::map(Type key, Type value) { return of(TypeKind::kMap, "map", {std::move(key), std::move(value)}); }
Type Type::type_of(Type parameter) { return of(TypeKind::kType, "type", {std::move(parameter)}); }
Type Type::optional(Type value) { return opaque("optional_type", {std::move(value)}); }
Type Type::opaque(std::string name, std::vector<Type> parameters) {
  return of(TypeKind::kOpaque, std::move(name), std::move(parameters));
}
Type Type::object(std::string name) {
  if (const auto known = well_known(name)) return *known;
  return of(TypeKind::kStruct, std::move(name));
}
Type Type::parameter(std::string name) { return of(TypeKind::kTypeParam, std::move(name)); }
Type Type::nullable(const Type& wrapped) {
  return of(wrapped.kind(), wrapped.name(), wrapped.parameters(), true);
}

bool Type::is_exactly(const Type& other) const {
  if (data_ == other.data_) return true;
  return kind() == other.kind() && name() == other.name() &&
         std::ranges::equal(parameters(), other.parameters());
}

bool Type::is_equivalent(const Type& other) const {
  return kind() == other.kind() && (is(TypeKind::kTypeParam) || name() == other.name()) &&
         std::ranges::equal(parameters(), other.parameters(),
                            [](const Type& own, const Type& its) { return own.is_equivalent(its); });
}

bool Type::accepts(const Type& other) const {
  if (is_nullable() && other.is(TypeKind::kNull)) return true;
  return accepts_not_null(other);
}

bool Type::accepts_not_null(const Type& other) const {
  if (data_ == other.data_ || is_dyn() || is(TypeKind::kTypeParam)) return true;
  return kind() == other.kind() && name() == other.name() &&
         std::ranges::equal(parameters(), other.parameters(),
                            [](const Type& own, const Type& its) { return own.accepts(its); });
}

bool Type::accepts(const Value& value) const {
  if (is_dyn() || is(TypeKind::kTypeParam)) return true;
  if (is_nullable() && value.is(Kind::kNull)) return true;
  if (name() != type_name_of(value)) return false;
  if (is(TypeKind::kList))
    return value.as_list().size() == 0 || parameters()[0].accepts(value.as_list().at(0));
  if (is(TypeKind::kMap)) {
    const Map& map = value.as_map();
    return map.size() == 0 ||
           (parameters()[0].accepts(map.key_at(0)) && parameters()[1].accepts(map.value_at(0)));
  }
  return true;
}

std::string Type::declared_name() const { return is_nullable() ? "wrapper(" + name() + ")" : name(); }

std::string Type::text() const {
  switch (kind()) {
    case TypeKind::kAny:
      return "any";
    case TypeKind::kDuration:
      return "duration";
    case TypeKind::kError:
      return "!error!";
    case TypeKind::kNull:
      return "null";
    case TypeKind::kTimestamp:
      return "timestamp";
    case TypeKind::kTypeParam:
      return name();
    default:
      break;
  }
  if (parameters().empty()) return declared_name();
  std::string text = name() + "(";
  for (std::size_t i = 0; i < parameters().size(); ++i) text += (i == 0 ? "" : ", ") + parameters()[i].text();
  return text + ")";
}

}  // namespace winnow::cel
