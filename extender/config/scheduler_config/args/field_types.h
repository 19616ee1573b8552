// Internal to extender/config: the types of fields in a KubeSchedulerConfiguration. Only .cc files and
// plugin_args.h include this.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

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

}  // namespace fields
}  // namespace winnow
