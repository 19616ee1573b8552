// Macros: calls that become other expressions when they are parsed. Upstream: cel-go v0.29.2 parser/macro.go,
// cel/library.go (optMap, optFlatMap), ext/bindings.go and ext/comprehensions.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/cel/ast.h"

namespace winnow::cel {

/// What a macro writes its expansion with.
struct Expansion {
  Ast& ast;
  /// The place of the call, which each new node gets.
  std::uint32_t offset = 0;
};

struct Macro {
  std::string_view name;
  std::size_t arguments = 0;
  /// Whether it is called as target.name(…).
  bool member = false;
  /// The expansion; null if the call is no macro after all; or an issue.
  /// @param target  null of a macro that is no member.
  std::expected<Expr*, Issue> (*expand)(Expansion& expansion, Expr* target,
                                        std::span<Expr* const> arguments) = nullptr;
};

/// The most nodes of an expression with its macros expanded.
inline constexpr std::size_t kMostNodes = 200'000;

/// has, all, exists, exists_one, map, filter.
std::span<const Macro> standard_macros();
/// optMap, optFlatMap.
std::span<const Macro> optional_macros();
/// cel.bind.
std::span<const Macro> binding_macros();
/// all, exists, exists_one, existsOne, transformList, transformMap, transformMapEntry with two variables.
std::span<const Macro> two_variable_macros();
/// sortBy.
std::span<const Macro> sorting_macros();

}  // namespace winnow::cel
