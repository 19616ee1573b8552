// Internal to extender/config: which fields a KubeSchedulerConfiguration has, and of which types. Only .cc
// files include this.
//
// Upstream: k8s.io/kube-scheduler/config/v1/{types,types_pluginargs}.go v0.37.0, decoded strictly
// (sigs.k8s.io/json UnmarshalStrict): names count with their case, and a field that is unknown or there twice
// is an error, as is a value of a wrong type. Null is absent.
#pragma once

#include <span>
#include <string_view>

#include "cluster/decode/reader.h"

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
  kDuration,  ///< Null is an error too: Go hands it to the parser of durations.
  kOptionalDuration,
  kBytes,     ///< Base64.
  kAnything,  ///< Not looked into.
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

const FieldType& scheduler_config_type();
/// The arguments of an in-tree plugin; null where it takes none.
const FieldType* plugin_args_type(std::string_view plugin);

/// Checks a value and all in it. @return false with the reader's error set.
bool check_fields(const Reader& value, const FieldType& type);

}  // namespace winnow
