#include "cluster/cel/macros.h"

#include <array>
#include <initializer_list>
#include <string>
#include <utility>

#include "cluster/cel/operators.h"

namespace winnow::cel {
namespace {

using MacroArguments = std::span<Expr* const>;
using Expanded = std::expected<Expr*, Issue>;

/// The variable of a loop that never runs.
constexpr std::string_view kUnused = "#unused";
constexpr std::string_view kInsert = "cel.@mapInsert";

/// Makes the nodes of an expansion.
class Maker {
 public:
  explicit Maker(Expansion& expansion) : ast_(expansion.ast), offset_(expansion.offset) {}

  Expr* literal(Value value) {
    Expr* expr = add(ExprKind::kLiteral);
    expr->value = std::move(value);
    return expr;
  }
  Expr* ident(std::string_view name) {
    Expr* expr = add(ExprKind::kIdent);
    expr->name = name;
    return expr;
  }
  Expr* result() { return ident(operators::kResult); }
  Expr* call(std::string_view function, std::initializer_list<Expr*> arguments) {
    Expr* expr = add(ExprKind::kCall);
    expr->name = function;
    expr->arguments = arguments;
    return expr;
  }
  Expr* member(std::string_view function, Expr* target) {
    Expr* expr = call(function, {});
    expr->operand = target;
    return expr;
  }
  Expr* list(std::initializer_list<Expr*> elements) {
    Expr* expr = add(ExprKind::kList);
    expr->arguments = elements;
    return expr;
  }
  Expr* map() { return add(ExprKind::kMap); }
  Expr* presence(Expr* operand, std::string_view field) {
    Expr* expr = add(ExprKind::kSelect);
    expr->operand = operand;
    expr->name = field;
    expr->test_only = true;
    return expr;
  }
  Expr* loop(Comprehension comprehension) {
    Expr* expr = add(ExprKind::kComprehension);
    expr->loop = std::move(comprehension);
    return expr;
  }
  /// A copy with ids of its own, at the places of the original.
  Expr* copy(const Expr* from) {
    if (from == nullptr) return nullptr;
    Expr* to = ast_.add(from->kind, from->offset);
    to->test_only = from->test_only;
    to->value = from->value;
    to->name = from->name;
    to->names = from->names;
    to->optionals = from->optionals;
    to->operand = copy(from->operand);
    for (const Expr* argument : from->arguments) to->arguments.push_back(copy(argument));
    to->loop = from->loop;
    for (Expr** part :
         {&to->loop.range, &to->loop.initial, &to->loop.condition, &to->loop.step, &to->loop.result})
      *part = copy(*part);
    return to;
  }

 private:
  Expr* add(ExprKind kind) { return ast_.add(kind, offset_); }
  Ast& ast_;
  std::uint32_t offset_;
};

std::unexpected<Issue> refuse(const Expr* at, std::string message) {
  return std::unexpected(Issue{at->offset, true, std::move(message)});
}

bool is_accumulator(const std::string& name) { return name == operators::kResult || name == "__result__"; }

/// The variables of a loop, which the first arguments name.
struct Variables {
  std::string first;
  std::string second;
};

std::expected<Variables, Issue> one_variable(MacroArguments arguments, std::string_view what) {
  if (arguments[0]->kind != ExprKind::kIdent) return refuse(arguments[0], std::string(what));
  if (is_accumulator(arguments[0]->name))
    return refuse(arguments[0], "iteration variable overwrites accumulator variable");
  return Variables{arguments[0]->name, {}};
}

std::expected<Variables, Issue> two_variables(MacroArguments arguments) {
  for (const Expr* argument : arguments.first(2))
    if (argument->kind != ExprKind::kIdent) return refuse(argument, "argument must be a simple name");
  Variables variables{arguments[0]->name, arguments[1]->name};
  if (variables.first == variables.second)
    return refuse(arguments[1], "duplicate variable name: " + variables.first);
  for (const Expr* argument : arguments.first(2))
    if (is_accumulator(argument->name))
      return refuse(argument, "iteration variable overwrites accumulator variable");
  return variables;
}

Expr* loop(Maker& make, Expr* range, const Variables& variables, Expr* initial, Expr* condition, Expr* step,
           Expr* result) {
  return make.loop({range, variables.first, variables.second, std::string(operators::kResult), initial,
                    condition, step, result});
}

Expr* all_of(Maker& make, Expr* range, const Variables& variables, Expr* predicate) {
  Expr* initial = make.literal(Value::boolean(true));
  Expr* condition = make.call(operators::kNotStrictlyFalse, {make.result()});
  Expr* step = make.call(operators::kAnd, {make.result(), predicate});
  return loop(make, range, variables, initial, condition, step, make.result());
}
Expr* any_of(Maker& make, Expr* range, const Variables& variables, Expr* predicate) {
  Expr* initial = make.literal(Value::boolean(false));
  Expr* condition = make.call(operators::kNotStrictlyFalse, {make.call(operators::kNot, {make.result()})});
  Expr* step = make.call(operators::kOr, {make.result(), predicate});
  return loop(make, range, variables, initial, condition, step, make.result());
}
Expr* one_of(Maker& make, Expr* range, const Variables& variables, Expr* predicate) {
  Expr* initial = make.literal(Value::integer(0));
  Expr* more = make.call(operators::kAdd, {make.result(), make.literal(Value::integer(1))});
  Expr* step = make.call(operators::kConditional, {predicate, more, make.result()});
  Expr* result = make.call(operators::kEquals, {make.result(), make.literal(Value::integer(1))});
  return loop(make, range, variables, initial, make.literal(Value::boolean(true)), step, result);
}

using Quantifier = Expr* (*)(Maker& make, Expr* range, const Variables& variables, Expr* predicate);

template <Quantifier quantifier>
Expanded quantify(Expansion& expansion, Expr* target, MacroArguments arguments) {
  const auto variables = one_variable(arguments, "argument must be a simple name");
  if (!variables) return std::unexpected(variables.error());
  Maker make(expansion);
  return quantifier(make, target, *variables, arguments[1]);
}
template <Quantifier quantifier>
Expanded quantify_two(Expansion& expansion, Expr* target, MacroArguments arguments) {
  const auto variables = two_variables(arguments);
  if (!variables) return std::unexpected(variables.error());
  Maker make(expansion);
  return quantifier(make, target, *variables, arguments[2]);
}

/// A loop that adds to a list or map where the filter, if there is one, is true.
Expr* collect(Maker& make, Expr* range, const Variables& variables, Expr* initial, Expr* step, Expr* filter) {
  if (filter != nullptr) step = make.call(operators::kConditional, {filter, step, make.result()});
  return loop(make, range, variables, initial, make.literal(Value::boolean(true)), step, make.result());
}

Expr* append(Maker& make, Expr* element) {
  return make.call(operators::kAdd, {make.result(), make.list({element})});
}

Expanded map(Expansion& expansion, Expr* target, MacroArguments arguments) {
  const auto variables = one_variable(arguments, "argument is not an identifier");
  if (!variables) return std::unexpected(variables.error());
  Maker make(expansion);
  Expr* filter = arguments.size() == 3 ? arguments[1] : nullptr;
  Expr* initial = make.list({});
  return collect(make, target, *variables, initial, append(make, arguments.back()), filter);
}

Expanded filter(Expansion& expansion, Expr* target, MacroArguments arguments) {
  const auto variables = one_variable(arguments, "argument is not an identifier");
  if (!variables) return std::unexpected(variables.error());
  Maker make(expansion);
  Expr* initial = make.list({});
  return collect(make, target, *variables, initial, append(make, arguments[0]), arguments[1]);
}

Expanded has(Expansion& expansion, Expr*, MacroArguments arguments) {
  const Expr* select = arguments[0];
  if (select->kind != ExprKind::kSelect) return refuse(select, "invalid argument to has() macro");
  Maker make(expansion);
  return make.presence(select->operand, select->name);
}

Expanded transform_list(Expansion& expansion, Expr* target, MacroArguments arguments) {
  const auto variables = two_variables(arguments);
  if (!variables) return std::unexpected(variables.error());
  Maker make(expansion);
  Expr* filter = arguments.size() == 4 ? arguments[2] : nullptr;
  Expr* initial = make.list({});
  return collect(make, target, *variables, initial, append(make, arguments.back()), filter);
}

Expanded transform_map(Expansion& expansion, Expr* target, MacroArguments arguments) {
  const auto variables = two_variables(arguments);
  if (!variables) return std::unexpected(variables.error());
  Maker make(expansion);
  Expr* filter = arguments.size() == 4 ? arguments[2] : nullptr;
  Expr* step = make.call(kInsert, {make.result(), make.ident(variables->first), arguments.back()});
  return collect(make, target, *variables, make.map(), step, filter);
}

Expanded transform_entry(Expansion& expansion, Expr* target, MacroArguments arguments) {
  const auto variables = two_variables(arguments);
  if (!variables) return std::unexpected(variables.error());
  Maker make(expansion);
  Expr* filter = arguments.size() == 4 ? arguments[2] : nullptr;
  Expr* step = make.call(kInsert, {make.result(), arguments.back()});
  return collect(make, target, *variables, make.map(), step, filter);
}

std::size_t size_of(const Expr* expr) {
  if (expr == nullptr) return 0;
  const Comprehension& loop = expr->loop;
  std::size_t size = 1 + size_of(expr->operand) + size_of(loop.range) + size_of(loop.initial) +
                     size_of(loop.condition) + size_of(loop.step) + size_of(loop.result);
  for (const Expr* argument : expr->arguments) size += size_of(argument);
  return size;
}

/// Whether there is no room for a copy of the target. Each optMap doubles its target, so a chain of them
/// could be larger than any memory. Upstream has no such limit.
bool is_too_large(const Expansion& expansion, const Expr* target) {
  return expansion.ast.size() > kMostNodes || expansion.ast.size() + size_of(target) > kMostNodes;
}

/// A loop over nothing whose accumulator is the variable.
Expr* let(Maker& make, const std::string& name, Expr* value, Expr* result) {
  return make.loop({make.list({}),
                    std::string(kUnused),
                    {},
                    name,
                    value,
                    make.literal(Value::boolean(false)),
                    make.ident(name),
                    result});
}

Expanded bind(Expansion& expansion, Expr* target, MacroArguments arguments) {
  if (target->kind != ExprKind::kIdent || target->name != "cel") return nullptr;
  if (arguments[0]->kind != ExprKind::kIdent)
    return refuse(arguments[0], "cel.bind() variable names must be simple identifiers");
  Maker make(expansion);
  return let(make, arguments[0]->name, arguments[1], arguments[2]);
}

Expanded opt_map(Expansion& expansion, Expr* target, MacroArguments arguments) {
  if (arguments[0]->kind != ExprKind::kIdent)
    return refuse(arguments[0], "optMap() variable name must be a simple identifier");
  if (is_too_large(expansion, target))
    return refuse(target, "the expression is too large with its macros expanded");
  Maker make(expansion);
  Expr* value = let(make, arguments[0]->name, make.member("value", make.copy(target)), arguments[1]);
  return make.call(
      operators::kConditional,
      {make.member("hasValue", target), make.call("optional.of", {value}), make.call("optional.none", {})});
}

Expanded opt_flat_map(Expansion& expansion, Expr* target, MacroArguments arguments) {
  if (arguments[0]->kind != ExprKind::kIdent)
    return refuse(arguments[0], "optFlatMap() variable name must be a simple identifier");
  if (is_too_large(expansion, target))
    return refuse(target, "the expression is too large with its macros expanded");
  Maker make(expansion);
  Expr* value = let(make, arguments[0]->name, make.member("value", make.copy(target)), arguments[1]);
  return make.call(operators::kConditional,
                   {make.member("hasValue", target), value, make.call("optional.none", {})});
}

Expanded sort_by(Expansion& expansion, Expr* target, MacroArguments arguments) {
  if (target->kind == ExprKind::kLiteral || target->kind == ExprKind::kMap ||
      target->kind == ExprKind::kStruct)
    return refuse(
        target, "sortBy can only be applied to a list, identifier, comprehension, call or select expression");
  constexpr std::string_view kInput = "@__sortBy_input__";
  Maker make(expansion);
  const Expanded keys = map(expansion, make.ident(kInput), arguments);
  if (!keys) return keys;
  Expr* sorted = make.member("@sortByAssociatedKeys", make.ident(kInput));
  sorted->arguments = {*keys};
  return let(make, std::string(kInput), target, sorted);
}

constexpr std::array<Macro, 1> kSorting = {{{"sortBy", 2, true, sort_by}}};
constexpr std::array<Macro, 7> kStandard = {{
    {"has", 1, false, has},
    {"all", 2, true, quantify<all_of>},
    {"exists", 2, true, quantify<any_of>},
    {"exists_one", 2, true, quantify<one_of>},
    {"map", 2, true, map},
    {"map", 3, true, map},
    {"filter", 2, true, filter},
}};
constexpr std::array<Macro, 2> kOptional = {{
    {"optMap", 2, true, opt_map},
    {"optFlatMap", 2, true, opt_flat_map},
}};
constexpr std::array<Macro, 1> kBinding = {{{"bind", 3, true, bind}}};
constexpr std::array<Macro, 10> kTwoVariables = {{
    {"all", 3, true, quantify_two<all_of>},
    {"exists", 3, true, quantify_two<any_of>},
    {"exists_one", 3, true, quantify_two<one_of>},
    {"existsOne", 3, true, quantify_two<one_of>},
    {"transformList", 3, true, transform_list},
    {"transformList", 4, true, transform_list},
    {"transformMap", 3, true, transform_map},
    {"transformMap", 4, true, transform_map},
    {"transformMapEntry", 3, true, transform_entry},
    {"transformMapEntry", 4, true, transform_entry},
}};

}  // namespace

std::span<const Macro> standard_macros() { return kStandard; }
std::span<const Macro> optional_macros() { return kOptional; }
std::span<const Macro> binding_macros() { return kBinding; }
std::span<const Macro> two_variable_macros() { return kTwoVariables; }
std::span<const Macro> sorting_macros() { return kSorting; }

}  // namespace winnow::cel
