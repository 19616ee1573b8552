// Declared types, as the checker knows them. Upstream: cel-go v0.29.2 common/types/types.go.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/cel/value.h"

namespace winnow::cel {

enum class TypeKind : std::uint8_t {
  kDyn,
  kAny,
  kBool,
  kBytes,
  kDouble,
  kDuration,
  kError,
  kInt,
  kList,
  kMap,
  kNull,
  kOpaque,
  kString,
  kStruct,
  kTimestamp,
  kType,
  kTypeParam,
  kUint,
};

/// A declared type. Immutable and cheap to copy.
class Type {
 public:
  /// dyn.
  Type();

  static Type dyn();
  static Type any();
  static Type boolean();
  static Type bytes();
  static Type real();
  static Type duration();
  static Type error();
  static Type integer();
  static Type null();
  static Type string();
  static Type timestamp();
  static Type unsigned_integer();
  static Type list(Type element);
  static Type map(Type key, Type value);
  /// The type of types.
  static Type type();
  static Type type_of(Type parameter);
  static Type optional(Type value);
  static Type opaque(std::string name, std::vector<Type> parameters = {});
  /// An object type; its fields are declared in an Environment. The names of protobuf's well-known types give
  /// the types that these stand for.
  static Type object(std::string name);
  static Type parameter(std::string name);
  /// A primitive type that may be null.
  static Type nullable(const Type& wrapped);

  TypeKind kind() const { return data_->kind; }
  bool is(TypeKind kind) const { return data_->kind == kind; }
  bool is_nullable() const { return data_->nullable; }
  /// The name at run time: "int", "list", "google.protobuf.Timestamp".
  const std::string& name() const { return data_->name; }
  const std::vector<Type>& parameters() const { return data_->parameters; }
  bool is_optional() const { return is(TypeKind::kOpaque) && name() == "optional_type"; }
  bool is_dyn() const { return is(TypeKind::kDyn) || is(TypeKind::kAny); }
  bool is_dyn_or_error() const { return is_dyn() || is(TypeKind::kError); }

  /// The same type with other parameters.
  Type with_parameters(std::vector<Type> parameters) const {
    return of(kind(), name(), std::move(parameters), is_nullable());
  }

  /// The same kind, name and parameters.
  bool is_exactly(const Type& other) const;
  /// Whether a value of the other type may stand where this one is wanted, without type parameters.
  bool accepts(const Type& other) const;
  /// Whether the value may be passed where this type is declared. Of a list or map the first element decides.
  bool accepts(const Value& value) const;

  /// The same but for the names of type parameters.
  bool is_equivalent(const Type& other) const;

  /// As errors of the checker print it: "list(int)", "map(string, dyn)", "wrapper(int)".
  std::string text() const;

  friend bool operator==(const Type& a, const Type& b) { return a.is_exactly(b); }

 private:
  struct Data {
    TypeKind kind = TypeKind::kDyn;
    bool nullable = false;
    std::string name;
    std::vector<Type> parameters;
  };
  explicit Type(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  static Type of(TypeKind kind, std::string name, std::vector<Type> parameters = {}, bool nullable = false);
  bool accepts_not_null(const Type& other) const;
  std::string declared_name() const;

  std::shared_ptr<const Data> data_;
};

}  // namespace winnow::cel
