// The steps of an expression.
#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

#include "cluster/cel/ast.h"
#include "cluster/cel/operators.h"
#include "cluster/expressions/column_program.h"
#include "cluster/expressions/reads.h"
#include "cluster/expressions/schema.h"

namespace winnow::expressions {
namespace {

namespace operators = cel::operators;
using cel::Expr;
using cel::ExprKind;

constexpr std::size_t kMostSteps = 200, kMostStepsOfLoop = 50;

/// The variable that a loop's element is, in the parts of the loop. No text has such a name.
constexpr std::string_view kElement = "@element";

const cel::Environment& environment_of_loops() {
  static const cel::Environment kWithElement = [] {
    cel::Environment made = environment(Scope::kNodes);
    made.add_variable(std::string(kElement), cel::Type::dyn());
    return made;
  }();
  return kWithElement;
}

bool reads_nodes(const Expr* expr) {
  if (expr->kind == ExprKind::kIdent && expr->is_global)
    return expr->reference == "node" || expr->reference == "cluster";
  bool reads = false;
  cel::for_each_part(*expr, [&](const Expr& part) { reads = reads || reads_nodes(&part); });
  return reads;
}

bool names_any(const Expr* expr, const std::map<std::string, std::uint32_t, std::less<>>& names) {
  if (names.empty()) return false;
  if (expr->kind == ExprKind::kIdent) return !expr->is_global && names.contains(expr->name);
  bool named = false;
  cel::for_each_part(*expr, [&](const Expr& part) { named = named || names_any(&part, names); });
  return named;
}

/// Whether it is what cel.bind() becomes: a loop over nothing.
bool is_binding(const Expr& expr) {
  const cel::Comprehension& loop = expr.loop;
  return expr.kind == ExprKind::kComprehension && loop.range->kind == ExprKind::kList &&
         loop.range->arguments.empty() && loop.step->kind == ExprKind::kIdent &&
         loop.step->name == loop.accumulator;
}

/// What the macros all() and exists() become: the predicate of a loop over a list.
struct Quantifier {
  ColumnOp op;
  Expr* predicate;
};
std::optional<Quantifier> as_quantifier(const Expr& expr) {
  const cel::Comprehension& loop = expr.loop;
  if (expr.kind != ExprKind::kComprehension || !loop.second_variable.empty()) return std::nullopt;
  const Expr& step = *loop.step;
  const bool is_all = step.name == operators::kAnd;
  const auto is_result = [](const Expr& part) {
    return part.kind == ExprKind::kIdent && part.name == operators::kResult;
  };
  if (step.kind != ExprKind::kCall || (!is_all && step.name != operators::kOr) ||
      step.arguments.size() != 2 || !is_result(*step.arguments[0]) || !is_result(*loop.result) ||
      loop.initial->kind != ExprKind::kLiteral || !loop.initial->value.is(cel::Kind::kBool) ||
      loop.initial->value.is_true() != is_all || !loop.range->type.is(cel::TypeKind::kList))
    return std::nullopt;
  return Quantifier{is_all ? ColumnOp::kAll : ColumnOp::kAny, step.arguments[1]};
}

/// Adds the places where a loop's variable is read. @return false: an inner loop has the same name.
bool find_variable(Expr& expr, std::string_view name, std::vector<Expr*>& places) {
  if (expr.kind == ExprKind::kIdent && !expr.is_global && expr.name == name) places.push_back(&expr);
  const cel::Comprehension& loop = expr.loop;
  bool is_one = loop.variable != name && loop.second_variable != name && loop.accumulator != name;
  cel::for_each_part(expr, [&](Expr& part) { is_one = is_one && find_variable(part, name, places); });
  return is_one;
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

  /// @param in_loop  the expression is asked about each element of a list.
  ColumnCompiler(cel::Ast& ast, const cel::Environment& environment, bool in_loop = false)
      : ast_(ast), environment_(environment), in_loop_(in_loop) {}

  /// The program of an expression; null: there is none.
  std::unique_ptr<const ColumnProgram> compile(Expr& expr, std::size_t most_steps) && {
    const Place result = add(expr);
    if (!result || steps_.size() > most_steps) return nullptr;
    return std::make_unique<const ColumnProgram>(std::move(steps_), *result);
  }

 private:
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
    // What names a bound value means nothing without it, and so it is with an element.
    if (expr.type.is_dyn() || is_named || in_loop_) return std::nullopt;
    return add_part(ColumnOp::kWalked, expr);
  }

  std::uint32_t put(ColumnStep step) {
    const std::array<std::uint32_t, 3> taken = {step.a, step.b, step.c};
    if (const std::size_t count = step.operands(); count > 0) {
      step.source = ColumnSource::kFixed;
      for (std::size_t i = 0; i < count; ++i) step.source = std::max(step.source, steps_[taken[i]].source);
    }
    step.guards = guards_;
    steps_.push_back(std::move(step));
    return static_cast<std::uint32_t>(steps_.size() - 1);
  }
  /// A value that is read. Each is read once, however often it is named: so it is needed everywhere.
  std::uint32_t put_leaf(ColumnStep step) {
    const auto known = std::ranges::find_if(steps_, [&](const ColumnStep& one) {
      return one.op == step.op && one.key == step.key && one.requested == step.requested &&
             one.memory == step.memory;
    });
    if (known != steps_.end()) return static_cast<std::uint32_t>(known - steps_.begin());
    const std::uint32_t made = put(std::move(step));
    steps_[made].guards.clear();
    return made;
  }

  Place add_part(ColumnOp op, Expr& expr) {
    auto part = cel::Program::of_part(ast_, expr, environment_);
    if (!part) return std::nullopt;
    const Reads reads = reads_of(expr);
    const bool of_row = op == ColumnOp::kWalked && reads.of_row_alone();
    return put(
        {.op = op, .source = of_row ? ColumnSource::kRow : source_of(reads), .part = std::move(*part)});
  }
  /// Of a part that reads no node.
  ColumnSource source_of(const Reads& reads) const {
    const bool is_fixed = !reads.of_node && !reads.cluster && !reads.pod() && !reads.now && !in_loop_;
    return is_fixed ? ColumnSource::kFixed : ColumnSource::kOther;
  }
  /// Of what compares a node's row with such a part.
  ColumnSource source_beside(const Expr& part) const {
    return std::max(ColumnSource::kRow, source_of(reads_of(part)));
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
    if (const auto quantifier = as_quantifier(expr)) return add_loop(expr, *quantifier);
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
    return put({.op = ColumnOp::kMatching,
                .source = ColumnSource::kOther,
                .part = std::move(*labels),
                .other = std::move(*namespaces)});
  }

  static void name_all(const std::vector<Expr*>& places, const std::string& reference, bool is_global) {
    for (Expr* const place : places) {
      place->is_global = is_global;
      place->reference = reference;
    }
  }

  /// all() and exists() of a list that reads no node. Meanwhile the loop's variable is one of all.
  Place add_loop(Expr& expr, const Quantifier& quantifier) {
    if (in_loop_ || reads_nodes(expr.loop.range) || names_any(expr.loop.range, bound_) ||
        names_any(quantifier.predicate, bound_))
      return std::nullopt;
    auto range = cel::Program::of_part(ast_, *expr.loop.range, environment_);
    std::vector<Expr*> places;
    if (!range || !find_variable(*quantifier.predicate, expr.loop.variable, places)) return std::nullopt;
    const std::string name = places.empty() ? "" : places.front()->reference;
    name_all(places, std::string(kElement), /*is_global=*/true);
    std::shared_ptr<const ColumnProgram> body = ColumnCompiler(ast_, environment_of_loops(), /*in_loop=*/true)
                                                    .compile(*quantifier.predicate, kMostStepsOfLoop);
    name_all(places, name, /*is_global=*/false);
    if (!body) return std::nullopt;
    return put({.op = quantifier.op,
                .source = ColumnSource::kOther,
                .part = std::move(*range),
                .body = std::move(body)});
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
    const std::uint32_t is = put(
        {.op = ColumnOp::kLabelIs, .key = keys[2], .source = source_beside(*text), .part = std::move(*part)});
    if (expr.name == operators::kEquals) return is;
    return put({.op = ColumnOp::kNot, .a = is});
  }

  /// A constant key in the labels or the metrics, or any name among the images.
  Place add_key_test(const Expr& expr) {
    Expr& key = *expr.arguments[0];
    if (keys_of(*expr.arguments[1]) == std::vector<std::string>{"images"} && !expr.arguments[1]->test_only &&
        !reads_nodes(&key) && !names_any(&key, bound_)) {
      auto part = cel::Program::of_part(ast_, key, environment_);
      if (!part) return std::nullopt;
      return put({.op = ColumnOp::kHasImage, .source = source_beside(key), .part = std::move(*part)});
    }
    if (key.kind != ExprKind::kLiteral || !key.value.is(cel::Kind::kString)) return std::nullopt;
    std::vector<std::string> keys = keys_of(*expr.arguments[1]);
    if (keys.empty() || expr.arguments[1]->test_only) return std::nullopt;
    keys.emplace_back(key.value.text());
    return is_label(keys) || (keys.size() == 2 && keys[0] == "metrics") ? add_test(keys) : std::nullopt;
  }

  cel::Ast& ast_;
  const cel::Environment& environment_;
  const bool in_loop_;
  std::vector<ColumnStep> steps_;
  std::vector<ColumnGuard> guards_;
  std::map<std::string, std::uint32_t, std::less<>> bound_;  ///< By name, the step of its value.
};

std::unique_ptr<const ColumnProgram> ColumnProgram::compile(cel::Ast& ast,
                                                            const cel::Environment& environment) {
  auto program = ColumnCompiler(ast, environment).compile(*ast.root, kMostSteps);
  if (!program) return nullptr;
  const bool is_one_part = program->steps().size() == 1 && program->steps()[0].op == ColumnOp::kWalked;
  return is_one_part && program->kept().empty() ? nullptr : std::move(program);
}

}  // namespace winnow::expressions
