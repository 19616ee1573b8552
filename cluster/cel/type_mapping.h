// What type variables stand for while an expression is checked. Upstream: cel-go v0.29.2 checker/types.go and
// checker/mapping.go.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "cluster/cel/type.h"

namespace winnow::cel {

/// Substitutions of type variables, which unification adds.
class TypeMapping {
 public:
  /// A type variable that no other type has.
  Type new_variable();
  /// The type with fresh variables in place of its parameters, the same for the same name within one call.
  std::vector<Type> instantiate(std::span<const Type> types);

  /// Whether the one type may stand for the other. If so, the substitutions that this needs are kept.
  bool unify(const Type& a, const Type& b);
  /// The same of lists, item by item.
  bool unify(std::span<const Type> a, std::span<const Type> b);
  /// The type with its variables replaced. Variables without a substitution stay, or become dyn.
  Type substitute(const Type& type, bool free_to_dyn) const;

 private:
  const Type* find(const Type& variable) const;
  void set(const Type& variable, const Type& type);
  void undo(std::size_t size);
  bool assign(const Type& a, const Type& b);
  bool assign(std::span<const Type> a, std::span<const Type> b);
  /// Whether the variable may stand for the type, and whether it stood for one already.
  std::pair<bool, bool> assign_variable(const Type& type, const Type& variable);
  bool is_free_of(const Type& variable, const Type& within) const;

  std::vector<std::optional<Type>> types_;  // By the variable's number.
  std::vector<std::pair<std::size_t, std::optional<Type>>> trail_;
};

/// The one of the two that takes more; the first if both do.
Type most_general(const Type& a, const Type& b);

}  // namespace winnow::cel
