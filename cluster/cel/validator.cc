// What is checked of literals after the types. Upstream: cel-go v0.29.2 cel/validator.go, ext/formatting.go.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/cel/checker.h"
#include "cluster/cel/format_clauses.h"
#include "cluster/cel/regex.h"

namespace winnow::cel {
namespace {

Type inner_type(const Type& type) { return type.is_optional() ? type.parameters()[0] : type; }

class Validator {
 public:
  explicit Validator(std::vector<Issue>& issues) : issues_(issues) {}

  /// @param in_format  whether an expression around this one is a call of format.
  void visit(const Expr* expr, bool in_format) {
    if (expr == nullptr) return;
    if (expr->kind == ExprKind::kCall) call(expr);
    if (!in_format && expr->kind == ExprKind::kList) list(expr);
    if (!in_format && expr->kind == ExprKind::kMap) map(expr);
    in_format = in_format || (expr->kind == ExprKind::kCall && expr->name == "format");
    visit(expr->operand, in_format);
    for (const Expr* argument : expr->arguments) visit(argument, in_format);
    for (const Expr* part :
         {expr->loop.range, expr->loop.initial, expr->loop.condition, expr->loop.step, expr->loop.result})
      visit(part, in_format);
  }

 private:
  void issue(const Expr* at, std::string message) {
    issues_.push_back({at->offset, true, std::move(message)});
  }

  void call(const Expr* expr) {
    if (expr->name == "format") format(expr);
    if (expr->arguments.empty() || expr->arguments[0]->kind != ExprKind::kLiteral) return;
    const Expr* literal = expr->arguments[0];
    const bool is_time = expr->name == "duration" || expr->name == "timestamp";
    if (is_time && !converts(expr, literal->value)) issue(literal, "invalid " + expr->name + " argument");
    if (expr->name == "matches" && literal->value.is(Kind::kString) &&
        !Regex(literal->value.text()).error().empty())
      issue(literal, "invalid matches argument");
  }

  static bool converts(const Expr* expr, const Value& literal) {
    const auto found = std::ranges::find_if(expr->overloads, [&](const Overload* overload) {
      return overload->arguments.size() == 1 && overload->arguments[0].accepts(literal);
    });
    return found != expr->overloads.end() && !(*found)->call(std::span(&literal, 1)).is_error();
  }

  bool is_mixed(const Expr* at, std::optional<Type>& expected, const Type& type) {
    if (!expected) {
      expected = type;
      return false;
    }
    if (expected->is_equivalent(type)) return false;
    issue(at, "expected type '" + expected->text() + "' but found '" + type.text() + "'");
    return true;
  }

  static bool is_optional(const Expr* expr, std::size_t index) {
    return !expr->optionals.empty() && expr->optionals[index];
  }

  void list(const Expr* expr) {
    std::optional<Type> expected;
    for (std::size_t i = 0; i < expr->arguments.size(); ++i) {
      const Expr* element = expr->arguments[i];
      if (is_mixed(element, expected, is_optional(expr, i) ? inner_type(element->type) : element->type))
        return;
    }
  }

  void map(const Expr* expr) {
    std::optional<Type> key;
    std::optional<Type> value;
    for (std::size_t i = 0; i + 1 < expr->arguments.size(); i += 2) {
      is_mixed(expr->arguments[i], key, expr->arguments[i]->type);
      const Type& type = expr->arguments[i + 1]->type;
      is_mixed(expr->arguments[i + 1], value, is_optional(expr, i / 2) ? inner_type(type) : type);
    }
  }

  // Formats of constant texts.

  void format(const Expr* expr) {
    const Expr* text = expr->operand;
    if (text == nullptr || text->kind != ExprKind::kLiteral || !text->value.is(Kind::kString)) return;
    if (expr->arguments.size() != 1 || expr->arguments[0]->kind != ExprKind::kList) return;
    const std::vector<Expr*>& arguments = expr->arguments[0]->arguments;
    std::string_view rest = text->value.text();
    std::size_t used = 0;
    while (!rest.empty()) {
      const bool is_clause = rest.front() == '%' && !rest.starts_with("%%");
      if (is_clause && rest.size() > 1 && used >= arguments.size())
        return issue(expr, "index " + std::to_string(used) + " out of range");
      const auto part = next_format_part(rest);
      if (!part) return issue(expr, part.error());
      if (part->verb == 0) continue;
      if (const Expr* wrong = misfit(part->verb, arguments[used++]))
        return issue(wrong, refusal(part->verb, wrong->type));
    }
    if (arguments.size() > used)
      issue(expr, "too many arguments supplied to string.format (expected " + std::to_string(used) +
                      ", got " + std::to_string(arguments.size()) + ")");
  }

  static std::string refusal(char verb, const Type& type) {
    const char* what = "string";
    if (verb == 'd') what = "decimal";
    if (verb == 'f') what = "fixed-point";
    if (verb == 'e') what = "scientific";
    if (verb == 'b') what = "binary";
    if (verb == 'x' || verb == 'X') what = "hex";
    if (verb == 'o') what = "octal";
    return std::string("error during formatting: the ") + what + " clause cannot format the type " +
           type.name();
  }

  /// The part of the argument that the clause cannot format; null if it can format all.
  static const Expr* misfit(char verb, const Expr* argument) {
    const TypeKind kind = argument->type.kind();
    const auto is_one = [&](std::initializer_list<TypeKind> kinds) {
      return kind == TypeKind::kDyn || std::ranges::find(kinds, kind) != kinds.end();
    };
    using enum TypeKind;
    bool fits = false;
    if (verb == 's') return misfit_of_text(argument);
    if (verb == 'd' || verb == 'o') fits = is_one({kInt, kUint});
    if (verb == 'f' || verb == 'e') fits = is_one({kDouble, kString});
    if (verb == 'b') fits = is_one({kInt, kUint, kBool});
    if (verb == 'x' || verb == 'X') fits = is_one({kInt, kUint, kString, kBytes});
    return fits ? nullptr : argument;
  }

  static const Expr* misfit_of_text(const Expr* argument) {
    switch (argument->type.kind()) {
      case TypeKind::kAny:
      case TypeKind::kError:
      case TypeKind::kOpaque:
      case TypeKind::kStruct:
      case TypeKind::kTypeParam:
        return argument;
      default:
        break;
    }
    if (argument->kind != ExprKind::kList && argument->kind != ExprKind::kMap) return nullptr;
    for (const Expr* part : argument->arguments)
      if (const Expr* wrong = misfit_of_text(part)) return wrong;
    return nullptr;
  }

  std::vector<Issue>& issues_;
};

}  // namespace

std::vector<Issue> validate(const Ast& ast) {
  std::vector<Issue> issues;
  Validator(issues).visit(ast.root, false);
  return issues;
}

}  // namespace winnow::cel
