// The types of the fields of pods and nodes, as the API's v1 declares them.
//
// cluster/fields has the parts of pods and nodes that users' expressions read as values: field_tree.h. Which
// parts are kept says cluster/api/wanted_fields.h.
// Upstream: k8s.io/api v0.37.2 core/v1/types.go, k8s.io/apimachinery v0.37.2 meta/v1/types.go.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace winnow {

/// The type of a field.
struct V1Type {
  enum class Kind : std::uint8_t {
    kBool,
    kInt,
    kString,
    kTimestamp,
    kQuantity,  ///< A text in JSON.
    kAny,       ///< An int or a string.
    kObject,
  };
  enum class Shape : std::uint8_t { kOne, kList, kMap };
  Kind kind = Kind::kAny;
  Shape shape = Shape::kOne;
  std::string_view object = {};  ///< The name of an object's type: "Container".

  /// Of an element of the list or the map.
  V1Type element() const;
  bool operator==(const V1Type&) const = default;
};

/// The type of a field: find_v1_field("PodSpec", "containers"). Nothing: the object has no such field.
/// Known are the types below ObjectMeta, PodSpec, NodeSpec and NodeCondition. managedFields are left out.
std::optional<V1Type> find_v1_field(std::string_view object, std::string_view field);

/// Calls visit(object, field, type) for all of them, in order of the object's name and then of the field's.
void for_each_v1_field(const std::function<void(std::string_view, std::string_view, const V1Type&)>& visit);

}  // namespace winnow
