// The kept fields of a pod or a node as values of expressions.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "cluster/api/wanted_fields.h"
#include "cluster/cel/value.h"

namespace winnow {

/// Immutable: threads may read it at once.
class FieldTree {
 public:
  /// @param json  what kept_fields() has given, or an object in its form; "" has no fields.
  static std::shared_ptr<const FieldTree> read(FieldsOf of, std::string_view json);
  virtual ~FieldTree() = default;

  /// The object: "metadata", "spec", and of a node "status". Texts have the types of v1_types.h: quantities
  /// are texts, but in the status.capacity of a node they are doubles, of cpu in cores. It lives as long as
  /// the tree.
  virtual const cel::Map& root() const = 0;
  /// What it was read from.
  virtual const std::string& json() const = 0;
};

}  // namespace winnow
