// The parsed form of an expression, and what the checker adds to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/cel/type.h"
#include "cluster/cel/value.h"

namespace winnow::cel {

struct Overload;
struct Function;

enum class ExprKind : std::uint8_t {
  kLiteral,        // value
  kIdent,          // name
  kSelect,         // operand.name; test_only for has(operand.name)
  kCall,           // name(arguments), or operand.name(arguments) of a member
  kList,           // [arguments]
  kMap,            // {arguments}: keys and values in turn
  kStruct,         // name{names: arguments}
  kComprehension,  // comprehension
};

struct Expr;

/// A loop over a list or a map: what macros become. The variables are seen by condition and step; result sees
/// the accumulator alone.
struct Comprehension {
  Expr* range = nullptr;
  std::string variable;
  /// Empty in a comprehension of one variable.
  std::string second_variable;
  std::string accumulator;
  Expr* initial = nullptr;
  Expr* condition = nullptr;
  Expr* step = nullptr;
  Expr* result = nullptr;
};

/// A node. Nodes live in their Ast.
struct Expr {
  ExprKind kind = ExprKind::kLiteral;
  bool test_only = false;
  /// From 1; each node has its own.
  std::int64_t id = 0;
  /// The place in the text, in bytes: of an operator, of a name, of an opening bracket.
  std::uint32_t offset = 0;
  /// How deep the expression is, as upstream's parser counts.
  std::uint32_t height = 0;
  Value value;
  std::string name;
  Expr* operand = nullptr;
  std::vector<Expr*> arguments;
  /// Of a struct: the fields' names, and the places of their colons.
  std::vector<std::string> names;
  std::vector<std::uint32_t> name_offsets;
  /// Of a list, map or struct: the elements or entries that are marked with "?". Empty if none is.
  std::vector<bool> optionals;
  Comprehension loop;

  // By the checker.
  Type type;
  bool is_typed = false;
  /// An identifier or a qualified name that is a variable or a type, by its whole name.
  std::string reference;
  /// Whether that is a declared variable or a type, and no variable of a loop.
  bool is_global = false;
  /// Of a call: the overloads that may apply, and the function.
  std::vector<const Overload*> overloads;
  const Function* function = nullptr;
};

/// Calls visit(Expr&) for each part of an expression: operand, arguments, and what a loop is made of. Not for
/// the parts of parts.
template <class AnyExpr, class Visit>
void for_each_part(AnyExpr& expr, const Visit& visit) {
  if (expr.operand != nullptr) visit(*expr.operand);
  for (Expr* const argument : expr.arguments)
    if (argument != nullptr) visit(*argument);
  if (expr.kind != ExprKind::kComprehension) return;
  for (Expr* const part :
       {expr.loop.range, expr.loop.initial, expr.loop.condition, expr.loop.step, expr.loop.result})
    visit(*part);
}

/// An error with its place.
struct Issue {
  /// In bytes; nothing if it has no place.
  std::uint32_t offset = 0;
  bool placed = true;
  std::string message;
};

/// The most issues that are told of an expression.
inline constexpr std::size_t kMostIssues = 100;

/// The nodes of an expression.
class Ast {
 public:
  Expr* add(ExprKind kind, std::uint32_t offset) {
    Expr& expr = nodes_.emplace_back();
    expr.kind = kind;
    expr.id = static_cast<std::int64_t>(nodes_.size());
    expr.offset = offset;
    return &expr;
  }
  const Expr& node(std::int64_t id) const { return nodes_[static_cast<std::size_t>(id - 1)]; }
  Expr& node(std::int64_t id) { return nodes_[static_cast<std::size_t>(id - 1)]; }
  std::size_t size() const { return nodes_.size(); }

  Expr* root = nullptr;

 private:
  std::deque<Expr> nodes_;
};

}  // namespace winnow::cel
