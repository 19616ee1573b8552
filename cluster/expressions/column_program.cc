#include "cluster/expressions/column_program.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "cluster/cel/ast.h"
#include "cluster/cel/operators.h"

namespace winnow::expressions {
namespace {

namespace operators = cel::operators;
using cel::Expr;
using cel::ExprKind;

constexpr std::size_t kMostSteps = 200;

bool reads_nodes(const Expr* expr) {
  if (expr == nullptr) return false;
  if (expr->kind == ExprKind::kIdent && expr->is_global)
    return expr->reference == "node" || expr->reference == "cluster";
  if (reads_nodes(expr->operand) || std::ranges::any_of(expr->arguments, reads_nodes)) return true;
  if (expr->kind != ExprKind::kComprehension) return false;
  const cel::Comprehension& loop = expr->loop;
  return reads_nodes(loop.range) || reads_nodes(loop.initial) || reads_nodes(loop.condition) ||
         reads_nodes(loop.step) || reads_nodes(loop.result);
}

bool names_any(const Expr* expr, const std::map<std::string, std::uint32_t, std::less<>>& names) {
  if (expr == nullptr || names.empty()) return false;
  if (expr->kind == ExprKind::kIdent) return !expr->is_global && names.contains(expr->name);
  const auto named = [&](const Expr* part) { return names_any(part, names); };
  const cel::Comprehension& loop = expr->loop;
  return named(expr->operand) || std::ranges::any_of(expr->arguments, named) || named(loop.range) ||
         named(loop.initial) || named(loop.condition) || named(loop.step) || named(loop.result);
}

/// Whether it is what cel.bind() becomes: a loop over nothing.
bool is_binding(const Expr& expr) {
  const cel::Comprehension& loop = expr.loop;
  return expr.kind == ExprKind::kComprehension && loop.range->kind == ExprKind::kList &&
         loop.range->arguments.empty() && loop.step->kind == ExprKind::kIdent &&
         loop.step->name == loop.accumulator;
}

/// The keys that lead from the variable `node` to a value: {"requested", "cpu"}. Empty: it is none such.
std::vector<std::string> keys_of(const Expr& expr) {
  const bool is_index = expr.kind == ExprKind::kCall && expr.name == operators::kIndex;
  if (expr.kind != ExprKind::kSelect && !is_index) return {};
  const Expr& from = is_index ? *expr.arguments[0] : *expr.operand;
  std::string key = expr.name;
  if (is_index) {
    const Expr& given = *expr.arguments[1];
    if (given.kind != ExprKind::kLiteral || !given.value.is(cel::Kind::kString)) return {};
    key = given.value.text();
  }
  if (from.kind == ExprKind::kIdent && from.is_global && from.reference == "node") return {std::move(key)};
  if (from.test_only) return {};
  std::vector<std::string> keys = keys_of(from);
  if (!keys.empty()) keys.push_back(std::move(key));
  return keys;
}

bool is_label(const std::vector<std::string>& keys) {
  return keys.size() == 3 && keys[0] == "metadata" && keys[1] == "labels";
}

/// What a value of the type may be: a number or a bool, or something that is not known yet.
bool may_be_column(const cel::Type& type) {
  using Kind = cel::TypeKind;
  return type.is(Kind::kDouble) || type.is(Kind::kInt) || type.is(Kind::kBool) || type.is_dyn();
}

const std::map<std::string_view, ColumnOp> kBinary = {
    {operators::kAdd, ColumnOp::kAdd},           {operators::kSubtract, ColumnOp::kSubtract},
    {operators::kMultiply, ColumnOp::kMultiply}, {operators::kDivide, ColumnOp::kDivide},
    {operators::kLess, ColumnOp::kLess},         {operators::kLessEquals, ColumnOp::kLessEquals},
    {operators::kGreater, ColumnOp::kGreater},   {operators::kGreaterEquals, ColumnOp::kGreaterEquals},
    {operators::kEquals, ColumnOp::kEquals},     {operators::kNotEquals, ColumnOp::kNotEquals},
};

}  // namespace

/// Adds the steps of an expression, those of its parts first.
class ColumnCompiler {
 public:
  using Place = std::optional<std::uint32_t>;

  ColumnCompiler(cel::Ast& ast, const cel::Environment& environment) : ast_(ast), environment_(environment) {}

  /// @return the step that has the expression's value; nothing: there is none.
  Place add(Expr& expr) {
    if (steps_.size() > kMostSteps || !may_be_column(expr.type)) return std::nullopt;
    const bool is_named = names_any(&expr, bound_);
    if (is_named && expr.kind == ExprKind::kIdent) return bound_.at(expr.name);
    if (!is_named && !reads_nodes(&expr)) return add_part(ColumnOp::kFixed, expr);
    if (const Place leaf = add_leaf(expr)) return leaf;
    const std::size_t before = steps_.size();
    if (const Place made = add_operator(expr)) return made;
    steps_.resize(before);
    // What names a bound value means nothing without it.
    return expr.type.is_dyn() || is_named ? std::nullopt : add_part(ColumnOp::kWalked, expr);
  }

  std::vector<ColumnStep> take() { return std::move(steps_); }

 private:
  std::uint32_t put(ColumnStep step) {
    steps_.push_back(std::move(step));
    return static_cast<std::uint32_t>(steps_.size() - 1);
  }
  /// A value that is read. Each is read once, however often it is named.
  std::uint32_t put_leaf(ColumnStep step) {
    const auto known = std::ranges::find_if(steps_, [&](const ColumnStep& one) {
      return one.op == step.op && one.key == step.key && one.requested == step.requested &&
             one.memory == step.memory;
    });
    return known == steps_.end() ? put(std::move(step)) : static_cast<std::uint32_t>(known - steps_.begin());
  }

  Place add_part(ColumnOp op, Expr& expr) {
    auto part = cel::Program::of_part(ast_, expr, environment_);
    if (!part) return std::nullopt;
    ColumnStep step{.op = op, .part = std::move(*part)};
    if (op == ColumnOp::kWalked) step.guards = guards_;
    return put(std::move(step));
  }

  Place add_leaf(const Expr& expr) {
    const std::vector<std::string> keys = keys_of(expr);
    if (keys.empty()) return std::nullopt;
    if (expr.test_only) return add_test(keys);
    if (keys.size() == 1 && keys[0] == "pods") return put_leaf({.op = ColumnOp::kPods});
    if (keys.size() != 2) return std::nullopt;
    if (keys[0] == "allocatable" || keys[0] == "requested")
      return put_leaf({.op = ColumnOp::kAmount, .requested = keys[0] == "requested", .key = keys[1]});
    if (keys[0] == "capacity") return put_leaf({.op = ColumnOp::kCapacity, .key = keys[1]});
    if (keys[0] == "usage" && (keys[1] == "cpu" || keys[1] == "memory"))
      return put_leaf({.op = ColumnOp::kUsage, .memory = keys[1] == "memory"});
    if (keys[0] == "metrics") return put_leaf({.op = ColumnOp::kMetric, .key = keys[1]});
    return std::nullopt;
  }

  Place add_test(const std::vector<std::string>& keys) {
    if (keys[0] == "usage" && keys.size() == 1)
      return put({.op = ColumnOp::kIsThere, .a = put_leaf({.op = ColumnOp::kUsage})});
    if (keys[0] == "metrics" && keys.size() == 2)
      return put({.op = ColumnOp::kIsThere, .a = put_leaf({.op = ColumnOp::kMetric, .key = keys[1]})});
    if (is_label(keys)) return put_leaf({.op = ColumnOp::kHasLabel, .key = keys[2]});
    if (keys.size() == 2 && keys[0] == "metadata" && keys[1] == "labels")
      return put_leaf({.op = ColumnOp::kHasLabels});
    return std::nullopt;
  }

  Place add_operator(Expr& expr) {
    if (is_binding(expr)) return add_binding(expr);
    if (expr.kind != ExprKind::kCall) return std::nullopt;
    if (expr.operand != nullptr) return expr.name == "podsMatching" ? add_matching(expr) : add_extreme(expr);
    if (expr.name == operators::kAnd || expr.name == operators::kOr) return add_logic(expr);
    if (expr.name == operators::kConditional) return add_conditional(expr);
    if (expr.arguments.size() == 1) return add_unary(expr);
    if (expr.name == operators::kEquals || expr.name == operators::kNotEquals)
      if (const Place label = add_label_test(expr)) return label;
    if (expr.name == operators::kIn) return add_key_test(expr);
    const auto op = kBinary.find(expr.name);
    if (op == kBinary.end() || expr.arguments.size() != 2) return std::nullopt;
    const bool is_whole = expr.type.is(cel::TypeKind::kInt);  // It is rounded, and 0 divides nothing.
    if (op->second == ColumnOp::kDivide && is_whole) return std::nullopt;
    const Place a = add(*expr.arguments[0]);
    const Place b = a ? add(*expr.arguments[1]) : std::nullopt;
    if (!b) return std::nullopt;
    return put({.op = op->second, .a = *a, .b = *b});
  }

  /// cel.bind(): the value's step stands for the name.
  Place add_binding(Expr& expr) {
    const std::string& name = expr.loop.accumulator;
    if (bound_.contains(name)) return std::nullopt;
    const Place value = add(*expr.loop.initial);
    if (!value) return std::nullopt;
    bound_.emplace(name, *value);
    const Place result = add(*expr.loop.result);
    bound_.erase(name);
    return result;
  }

  /// node.podsMatching() of the same pods for all nodes.
  Place add_matching(Expr& expr) {
    const Expr& of = *expr.operand;
    const auto is_fixed = [&](const Expr* part) { return !reads_nodes(part) && !names_any(part, bound_); };
    if (of.kind != ExprKind::kIdent || !of.is_global || of.reference != "node" ||
        expr.arguments.size() != 2 || !std::ranges::all_of(expr.arguments, is_fixed))
      return std::nullopt;
    auto labels = cel::Program::of_part(ast_, *expr.arguments[0], environment_);
    auto namespaces = cel::Program::of_part(ast_, *expr.arguments[1], environment_);
    if (!labels || !namespaces) return std::nullopt;
    return put({.op = ColumnOp::kMatching, .part = std::move(*labels), .other = std::move(*namespaces)});
  }

  /// The least or the largest of a list that is written out.
  Place add_extreme(Expr& expr) {
    const bool least = expr.name == "min";
    Expr& list = *expr.operand;
    if ((!least && expr.name != "max") || !expr.arguments.empty() || list.kind != ExprKind::kList ||
        list.arguments.empty() || !list.optionals.empty())
      return std::nullopt;
    Place found = add(*list.arguments[0]);
    for (std::size_t i = 1; found && i < list.arguments.size(); ++i) {
      const Place next = add(*list.arguments[i]);
      found = next ? Place(put({.op = least ? ColumnOp::kLeast : ColumnOp::kMost, .a = *found, .b = *next}))
                   : std::nullopt;
    }
    return found;
  }

  Place add_unary(Expr& expr) {
    const bool negates = expr.name == operators::kNegate, inverts = expr.name == operators::kNot;
    if (!negates && !inverts && expr.name != "double") return std::nullopt;
    const Expr& argument = *expr.arguments[0];
    if (!negates && !inverts && !argument.type.is(cel::TypeKind::kInt)) return std::nullopt;
    const Place a = add(*expr.arguments[0]);
    if (!a) return std::nullopt;
    return put({.op = negates ? ColumnOp::kNegate : inverts ? ColumnOp::kNot : ColumnOp::kToReal, .a = *a});
  }

  /// With three terms the first two are one value, and so on.
  Place add_logic(Expr& expr) {
    const bool is_and = expr.name == operators::kAnd;
    const std::size_t guards = guards_.size();
    Place left = add(*expr.arguments[0]);
    for (std::size_t i = 1; left && i < expr.arguments.size(); ++i) {
      guards_.push_back({.step = *left, .value = is_and});
      const Place right = add(*expr.arguments[i]);
      left = right ? Place(put({.op = is_and ? ColumnOp::kAnd : ColumnOp::kOr, .a = *left, .b = *right}))
                   : std::nullopt;
    }
    guards_.resize(guards);
    return left;
  }

  Place add_conditional(Expr& expr) {
    const Place condition = add(*expr.arguments[0]);
    if (!condition) return std::nullopt;
    const auto add_branch = [&](std::size_t which) {
      guards_.push_back({.step = *condition, .value = which == 1});
      const Place branch = add(*expr.arguments[which]);
      guards_.pop_back();
      return branch;
    };
    const Place yes = add_branch(1);
    const Place no = yes ? add_branch(2) : std::nullopt;
    if (!no) return std::nullopt;
    return put({.op = ColumnOp::kConditional, .a = *condition, .b = *yes, .c = *no});
  }

  /// A label that is compared with a text.
  Place add_label_test(Expr& expr) {
    Expr* label = expr.arguments[0];
    Expr* text = expr.arguments[1];
    if (reads_nodes(text)) std::swap(label, text);
    const std::vector<std::string> keys = keys_of(*label);
    if (label->test_only || !is_label(keys) || reads_nodes(text) || names_any(text, bound_))
      return std::nullopt;
    auto part = cel::Program::of_part(ast_, *text, environment_);
    if (!part) return std::nullopt;
    const std::uint32_t is = put({.op = ColumnOp::kLabelIs, .key = keys[2], .part = std::move(*part)});
    if (expr.name == operators::kEquals) return is;
    return put({.op = ColumnOp::kNot, .a = is});
  }

  /// A constant key in the labels or the metrics.
  Place add_key_test(const Expr& expr) {
    const Expr& key = *expr.arguments[0];
    if (key.kind != ExprKind::kLiteral || !key.value.is(cel::Kind::kString)) return std::nullopt;
    std::vector<std::string> keys = keys_of(*expr.arguments[1]);
    if (keys.empty() || expr.arguments[1]->test_only) return std::nullopt;
    keys.emplace_back(key.value.text());
    return is_label(keys) || (keys.size() == 2 && keys[0] == "metrics") ? add_test(keys) : std::nullopt;
  }

  cel::Ast& ast_;
  const cel::Environment& environment_;
  std::vector<ColumnStep> steps_;
  std::vector<ColumnGuard> guards_;
  std::map<std::string, std::uint32_t, std::less<>> bound_;  ///< By name, the step of its value.
};

std::unique_ptr<const ColumnProgram> ColumnProgram::compile(cel::Ast& ast,
                                                            const cel::Environment& environment) {
  ColumnCompiler compiler(ast, environment);
  const ColumnCompiler::Place result = compiler.add(*ast.root);
  auto program = std::make_unique<ColumnProgram>();
  program->steps_ = compiler.take();
  const bool is_one_part = program->steps_.size() == 1 && program->steps_[0].op == ColumnOp::kWalked;
  if (!result || is_one_part || program->steps_.size() > kMostSteps) return nullptr;
  program->result_ = *result;
  return program;
}

}  // namespace winnow::expressions
