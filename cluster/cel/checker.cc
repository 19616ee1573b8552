#include "cluster/cel/checker.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "cluster/cel/operators.h"
#include "cluster/cel/type_mapping.h"
#include "cluster/text/words.h"

namespace winnow::cel {
namespace {

/// A variable of a loop.
struct TypedVariable {
  std::string name;
  Type type;
};

/// What a name means.
struct Meaning {
  Type type;
  /// Its whole name, without a leading dot.
  std::string name;
};

Type unwrapped(const Type& type) { return type.is_optional() ? type.parameters()[0] : type; }

class Checker {
 public:
  Checker(const Environment& environment, std::vector<Issue>& issues)
      : environment_(environment), issues_(issues) {}

  void check_all(Ast& ast) {
    check(ast.root);
    ast.root->type = mapping_.substitute(ast.root->type, true);
    for (std::size_t id = 1; id <= ast.size(); ++id) {
      Expr& node = ast.node(static_cast<std::int64_t>(id));
      if (node.is_typed) node.type = mapping_.substitute(node.type, true);
    }
  }

 private:
  bool has_enough_issues() const { return issues_.size() >= kMostIssues; }
  void issue(const Expr* at, std::string message) {
    if (has_enough_issues()) return;
    issues_.push_back({at->offset, true, std::move(message)});
  }
  void mismatch(const Expr* at, const Type& expected, const Type& actual) {
    issue(at, "expected type '" + expected.text() + "' but found '" + actual.text() + "'");
  }
  void undeclared(const Expr* at, const std::string& name) {
    if (has_enough_issues()) return;
    issue(at, "undeclared reference to '" + name + "'" + did_you_mean(name, environment_.names()));
  }
  void set(Expr* expr, Type type) {
    expr->type = std::move(type);
    expr->is_typed = true;
  }

  void check(Expr* expr) {
    switch (expr->kind) {
      case ExprKind::kLiteral:
        return set(expr, type_of(expr->value));
      case ExprKind::kIdent:
        return check_ident(expr);
      case ExprKind::kSelect:
        return check_select(expr);
      case ExprKind::kCall:
        return check_call(expr);
      case ExprKind::kList:
        return check_list(expr);
      case ExprKind::kMap:
        return check_map(expr);
      case ExprKind::kStruct:
        return check_struct(expr);
      case ExprKind::kComprehension:
        return check_loop(expr);
    }
  }

  static Type type_of(const Value& literal) {
    switch (literal.kind()) {
      case Kind::kBool:
        return Type::boolean();
      case Kind::kInt:
        return Type::integer();
      case Kind::kUint:
        return Type::unsigned_integer();
      case Kind::kDouble:
        return Type::real();
      case Kind::kString:
        return Type::string();
      case Kind::kBytes:
        return Type::bytes();
      default:
        return Type::null();
    }
  }

  // Names.

  const TypedVariable* find_local(std::string_view name) const {
    const auto found = std::ranges::find(locals_.rbegin(), locals_.rend(), name, &TypedVariable::name);
    return found == locals_.rend() ? nullptr : &*found;
  }

  std::optional<Meaning> global(std::string_view name) const {
    if (name.starts_with('.')) name.remove_prefix(1);
    if (const std::ptrdiff_t index = environment_.find_variable(name); index >= 0)
      return Meaning{environment_.variables()[static_cast<std::size_t>(index)].type, std::string(name)};
    if (const Type* type = environment_.find_type(name))
      return Meaning{Type::type_of(*type), std::string(name)};
    if (environment_.find_object(name) != nullptr)
      return Meaning{Type::type_of(Type::object(std::string(name))), std::string(name)};
    return std::nullopt;
  }

  /// Makes the node a name.
  void refer(Expr* expr, const Meaning& meaning, bool is_global) {
    expr->kind = ExprKind::kIdent;
    expr->operand = nullptr;
    expr->reference = meaning.name;
    expr->is_global = is_global;
    set(expr, meaning.type);
  }

  void check_ident(Expr* expr) {
    if (const TypedVariable* local = find_local(expr->name))
      return refer(expr, {local->type, local->name}, false);
    if (const auto meaning = global(expr->name)) return refer(expr, *meaning, true);
    undeclared(expr, expr->name);
    set(expr, Type::error());
  }

  /// The names of a chain of selections, with dots between them; nothing if it is no such chain.
  static std::optional<std::string> qualified(const Expr* expr) {
    if (expr->kind == ExprKind::kIdent) return expr->name;
    if (expr->kind != ExprKind::kSelect || expr->test_only) return std::nullopt;
    auto name = qualified(expr->operand);
    if (name) name->append(".").append(expr->name);
    return name;
  }

  void check_select(Expr* expr) {
    if (const auto name = qualified(expr)) {
      const bool is_local = find_local(std::string_view(*name).substr(0, name->find('.', 1))) != nullptr;
      if (const auto meaning = is_local ? std::nullopt : global(*name)) return refer(expr, *meaning, true);
    }
    const Type type = field_type(expr, expr->operand, expr->name, false);
    set(expr, expr->test_only ? Type::boolean() : mapping_.substitute(type, false));
  }

  Type field_type(Expr* expr, Expr* operand, const std::string& field, bool optional) {
    check(operand);
    const Type type = mapping_.substitute(operand->type, false);
    const Type target = unwrapped(type);
    Type result = Type::error();
    switch (target.kind()) {
      case TypeKind::kMap:
        result = target.parameters()[1];
        break;
      case TypeKind::kStruct:
        result = object_field(expr, target, field);
        break;
      case TypeKind::kTypeParam:
        mapping_.unify(Type::dyn(), target);
        result = Type::dyn();
        break;
      default:
        if (!target.is_dyn_or_error())
          issue(expr, "type '" + target.text() + "' does not support field selection");
        result = Type::dyn();
    }
    return type.is_optional() || optional ? Type::optional(result) : result;
  }

  Type object_field(const Expr* expr, const Type& object, const std::string& field) {
    return object_field_at(expr->offset, object.name(), field);
  }
  Type object_field_at(std::uint32_t offset, const std::string& object, const std::string& field) {
    const std::vector<Variable>* fields = environment_.find_object(object);
    if (fields == nullptr) {
      issues_.push_back({offset, true, "unexpected failed resolution of '" + object + "'"});
      return Type::error();
    }
    const auto found = std::ranges::find(*fields, field, &Variable::name);
    if (found != fields->end()) return found->type;
    std::vector<std::string_view> names;
    for (const Variable& known : *fields) names.push_back(known.name);
    issues_.push_back({offset, true, "undefined field '" + field + "'" + did_you_mean(field, names)});
    return Type::error();
  }

  // Calls.

  void check_call(Expr* expr) {
    if (expr->name == operators::kOptSelect) return check_opt_select(expr);
    for (Expr* argument : expr->arguments) check(argument);
    if (expr->operand != nullptr) {
      if (const auto prefix = qualified(expr->operand)) {
        std::string name = *prefix + "." + expr->name;
        if (name.starts_with('.')) name.erase(0, 1);
        if (const Function* function = environment_.find_function(name)) {
          expr->name = name;
          expr->operand = nullptr;
          return resolve(expr, *function);
        }
      }
      check(expr->operand);
    }
    std::string_view name = expr->name;
    if (name.starts_with('.')) name.remove_prefix(1);
    if (const Function* function = environment_.find_function(name)) {
      expr->name = function->name;
      return resolve(expr, *function);
    }
    undeclared(expr, expr->name);
    set(expr, Type::error());
  }

  void check_opt_select(Expr* expr) {
    const std::string field(expr->arguments[1]->value.text());
    const Type type = field_type(expr, expr->arguments[0], field, true);
    set(expr, mapping_.substitute(type, false));
  }

  void resolve(Expr* expr, const Function& function) {
    expr->function = &function;
    if (function.name == operators::kAnd || function.name == operators::kOr)
      return resolve_logic(expr, function);
    std::vector<Type> arguments;
    if (expr->operand != nullptr) arguments.push_back(expr->operand->type);
    for (const Expr* argument : expr->arguments) arguments.push_back(argument->type);
    std::optional<Type> result;
    for (const Overload& overload : function.overloads) {
      if (overload.member != (expr->operand != nullptr)) continue;
      if (overload.arguments.size() != arguments.size()) continue;
      std::vector<Type> declared = overload.arguments;
      declared.push_back(overload.result);
      declared = mapping_.instantiate(declared);
      if (!mapping_.unify(arguments, std::span(declared).first(arguments.size()))) continue;
      expr->overloads.push_back(&overload);
      const Type type = mapping_.substitute(declared.back(), false);
      if (!result)
        result = type;
      else if (!result->is_dyn() && !type.is_exactly(*result))
        result = Type::dyn();
    }
    if (!result) no_overload(expr, function.name, arguments);
    set(expr, result.value_or(Type::error()));
  }

  void resolve_logic(Expr* expr, const Function& function) {
    expr->overloads.push_back(&function.overloads.front());
    bool valid = true;
    const std::size_t size = expr->arguments.size();
    for (std::size_t i = 0; i < size; ++i) {
      const Expr* argument = expr->arguments[i];
      if (mapping_.unify(argument->type, Type::boolean())) continue;
      mismatch(argument, Type::boolean(), argument->type);
      // Upstream has a tree of pairs: what is wrong below its top leaves the top a bool.
      if (size == 2 || (size == 3 && i == 2)) valid = false;
    }
    set(expr, valid ? Type::boolean() : Type::error());
  }

  void no_overload(const Expr* expr, const std::string& name, std::span<const Type> arguments) {
    std::string signature;
    std::size_t first = 0;
    if (expr->operand != nullptr) signature = mapping_.substitute(arguments[first++], true).text() + ".";
    signature += "(";
    for (std::size_t i = first; i < arguments.size(); ++i)
      signature += (i > first ? ", " : "") + mapping_.substitute(arguments[i], true).text();
    issue(expr, "found no matching overload for '" + name + "' applied to '" + signature + ")'");
  }

  // Literals of lists, maps and objects.

  /// The type of an entry that may be marked by "?".
  Type entry_type(const Expr* entry, bool optional) {
    const Type& type = entry->type;
    if (!optional) return type;
    if (!type.is_optional() && !type.is_dyn()) mismatch(entry, Type::optional(type), type);
    return unwrapped(type);
  }

  /// What is mixed is dyn here; validate() refuses it.
  void join(std::optional<Type>& joined, const Type& type) {
    if (!joined)
      joined = type;
    else
      joined = mapping_.unify(*joined, type) ? most_general(*joined, type) : Type::dyn();
  }

  static bool is_optional(const Expr* expr, std::size_t index) {
    return !expr->optionals.empty() && expr->optionals[index];
  }

  void check_list(Expr* expr) {
    std::optional<Type> element;
    for (std::size_t i = 0; i < expr->arguments.size(); ++i) {
      check(expr->arguments[i]);
      join(element, entry_type(expr->arguments[i], is_optional(expr, i)));
    }
    set(expr, Type::list(element ? *element : mapping_.new_variable()));
  }

  void check_map(Expr* expr) {
    std::optional<Type> key;
    std::optional<Type> value;
    for (std::size_t i = 0; i + 1 < expr->arguments.size(); i += 2) {
      check(expr->arguments[i]);
      join(key, expr->arguments[i]->type);
      check(expr->arguments[i + 1]);
      join(value, entry_type(expr->arguments[i + 1], is_optional(expr, i / 2)));
    }
    if (!key) key = mapping_.new_variable();
    if (!value) value = mapping_.new_variable();
    set(expr, Type::map(*key, *value));
  }

  /// Objects cannot be made: no environment here has a type that can. What is wrong is still told as upstream
  /// does.
  void check_struct(Expr* expr) {
    std::string name = expr->name;
    if (name.starts_with('.')) name.erase(0, 1);
    const Type* known = environment_.find_type(name);
    const bool is_object = environment_.find_object(name) != nullptr;
    if (known == nullptr && !is_object) {
      undeclared(expr, expr->name);
      return set(expr, Type::error());
    }
    if (!is_object) issue(expr, "'" + known->name() + "' is not a message type");
    set(expr, is_object ? Type::object(name) : Type::error());
    for (std::size_t i = 0; i < expr->arguments.size(); ++i) {
      check(expr->arguments[i]);
      const Type field =
          is_object ? object_field_at(expr->name_offsets[i], name, expr->names[i]) : Type::error();
      const Type type = entry_type(expr->arguments[i], is_optional(expr, i));
      if (mapping_.unify(field, type)) continue;
      issues_.push_back({expr->name_offsets[i], true,
                         "expected type of field '" + expr->names[i] + "' is '" + field.text() +
                             "' but provided type is '" + type.text() + "'"});
    }
  }

  // Loops.

  void assert_type(const Expr* expr, const Type& type) {
    if (!mapping_.unify(type, expr->type)) mismatch(expr, type, expr->type);
  }

  /// The types of the variables of a loop over the range.
  std::pair<Type, Type> variables_of(const Expr* range, bool two) {
    const Type type = mapping_.substitute(range->type, false);
    switch (type.kind()) {
      case TypeKind::kList:
        return two ? std::pair(Type::integer(), type.parameters()[0])
                   : std::pair(type.parameters()[0], Type::dyn());
      case TypeKind::kMap:
        return {type.parameters()[0], type.parameters()[1]};
      case TypeKind::kDyn:
      case TypeKind::kError:
      case TypeKind::kTypeParam:
        mapping_.unify(Type::dyn(), type);
        return {Type::dyn(), Type::dyn()};
      default:
        issue(range, "expression of type '" + type.text() +
                         "' cannot be range of a comprehension (must be list, map, or dynamic)");
        return {Type::error(), Type::error()};
    }
  }

  void check_loop(Expr* expr) {
    const Comprehension& loop = expr->loop;
    check(loop.range);
    check(loop.initial);
    const Type accumulated = loop.initial->type;
    const auto [first, second] = variables_of(loop.range, !loop.second_variable.empty());
    locals_.push_back({loop.accumulator, accumulated});
    const std::size_t outer = locals_.size();
    locals_.push_back({loop.variable, first});
    if (!loop.second_variable.empty()) locals_.push_back({loop.second_variable, second});
    check(loop.condition);
    assert_type(loop.condition, Type::boolean());
    check(loop.step);
    assert_type(loop.step, accumulated);
    locals_.resize(outer);
    check(loop.result);
    locals_.pop_back();
    set(expr, mapping_.substitute(loop.result->type, false));
  }

  const Environment& environment_;
  std::vector<Issue>& issues_;
  TypeMapping mapping_;
  std::vector<TypedVariable> locals_;
};

}  // namespace

std::vector<Issue> check(Ast& ast, const Environment& environment) {
  std::vector<Issue> issues;
  Checker(environment, issues).check_all(ast);
  return issues;
}

}  // namespace winnow::cel
