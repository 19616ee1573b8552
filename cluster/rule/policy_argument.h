// The `argument` of a Policy's predicate or priority, as the list of its fields.
// Upstream: PredicateArgument and PriorityArgument of pkg/scheduler/api/v1/types.go v1.16.15.
#pragma once

#include <string_view>
#include <utility>

#include "cluster/rule/args_schema.h"

namespace winnow {

/// The member of an `argument` that makes a rule.
struct PolicyArgument {
  std::string_view name;  ///< labelsPresence
  const FieldType& type;  ///< Its fields; others are noted, and not used.
  /// Reads and checks the member. @return false with the reader's error set.
  bool (&read)(const Reader& member, Arguments& target);
};

namespace fields {

template <const auto& kFields>
bool read_policy_argument(const Reader& member, Arguments& target) {
  decltype(args_of(kFields[0])) args;
  for (const auto& field : kFields)
    if (!field.read(member, field.name, args)) return false;
  target = std::move(args);
  return true;
}

}  // namespace fields

/// An argument that is a list of fields. Every value of the fields' types is valid.
template <const auto& kFields>
constexpr PolicyArgument policy_argument(std::string_view name) {
  return {name, fields::kSchemaType<kFields, fields::Typed::kNo>, fields::read_policy_argument<kFields>};
}

}  // namespace winnow
