// The parser: text to nodes, with macros expanded. Upstream: cel-go v0.29.2 parser/parser.go and CEL.g4.
#pragma once

#include <cstddef>
#include <expected>
#include <span>
#include <string_view>
#include <vector>

#include "cluster/cel/ast.h"
#include "cluster/cel/macros.h"

namespace winnow::cel {

/// The longest expression, in characters.
inline constexpr std::size_t kLongestExpression = 100'000;
/// How deep each rule of the grammar may nest.
inline constexpr unsigned kDeepest = 250;

struct ParserOptions {
  std::span<const Macro> macros;
  /// Whether `a.?b`, `a[?b]` and `[?a]` are read.
  bool optional_syntax = true;
};

/// Parses an expression. @return the nodes; else what is wrong, at least one issue.
/// After the first syntax error no more of the text is read.
std::expected<Ast, std::vector<Issue>> parse(std::string_view text, const ParserOptions& options);

}  // namespace winnow::cel
