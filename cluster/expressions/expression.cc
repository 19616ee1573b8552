#include "cluster/expressions/expression.h"

#include <algorithm>
#include <array>
#include <format>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/cel/ast.h"
#include "cluster/cel/checker.h"
#include "cluster/cel/containers.h"
#include "cluster/cel/parser.h"
#include "cluster/mutex.h"

namespace winnow::expressions {
namespace {

using cel::Value;

/// What is wrong with the type that an expression has; "": nothing.
std::string wrong_type(const cel::Type& type, ResultKind kind) {
  using Kind = cel::TypeKind;
  if (kind == ResultKind::kAnything || type.is_dyn()) return {};
  if (kind == ResultKind::kBool)
    return type.is(Kind::kBool) ? "" : "is a " + type.text() + ", expected a bool";
  const bool is_number = type.is(Kind::kDouble) || type.is(Kind::kInt) || type.is(Kind::kUint);
  return is_number ? "" : "is a " + type.text() + ", expected a number";
}

bool reads_variable(const cel::Expr* expr) {
  if (expr->kind == cel::ExprKind::kIdent)
    return expr->is_global && std::ranges::contains(kVariableNames, std::string_view(expr->reference));
  bool reads = false;
  cel::for_each_part(*expr, [&](const cel::Expr& part) { reads = reads || reads_variable(&part); });
  return reads;
}

/// Whether a part that reads nothing costs more than an evaluation may: then each evaluation fails.
bool costs_too_much(cel::Ast& ast, cel::Expr* expr, const cel::Environment& known, std::uint64_t most) {
  if (expr == nullptr) return false;
  const auto costs = [&](cel::Expr* part) { return costs_too_much(ast, part, known, most); };
  if (reads_variable(expr)) {
    if (expr->kind == cel::ExprKind::kComprehension) return costs(expr->loop.range);
    return costs(expr->operand) || std::ranges::any_of(expr->arguments, costs);
  }
  const bool computes = expr->kind == cel::ExprKind::kCall || expr->kind == cel::ExprKind::kComprehension;
  const auto part = computes ? cel::Program::of_part(ast, *expr, known) : std::nullopt;
  return part && part->evaluate(std::array<Value, kVariables>(), {.cost = most}).cost_exceeded;
}

}  // namespace

std::expected<std::unique_ptr<const Expression>, std::string> Expression::compile(std::string_view text,
                                                                                  Scope scope,
                                                                                  ResultKind kind,
                                                                                  std::uint64_t most_cost) {
  const cel::Environment& known = environment(scope);
  auto program = cel::Program::compile(text, known);
  if (!program) return std::unexpected(program.error().front().text());
  if (std::string wrong = wrong_type(program->result_type(), kind); !wrong.empty())
    return std::unexpected(std::move(wrong));
  auto ast = cel::parse(text, {known.macros(), known.optional_syntax()});
  if (!ast || !cel::check(*ast, known).empty()) return std::unexpected("cannot be read again");
  if (costs_too_much(*ast, ast->root, known, most_cost))
    return std::unexpected(std::format("costs more than {} units wherever it is evaluated", most_cost));
  auto columns = scope == Scope::kNodes ? ColumnProgram::compile(*ast, known) : nullptr;
  return std::make_unique<const Expression>(std::string(text), reads_of(*ast->root), *std::move(program),
                                            std::move(columns));
}

double number_of(const Value& value) {
  if (value.is(cel::Kind::kDouble)) return value.as_double();
  if (value.is(cel::Kind::kBool)) return value.is_true() ? 1 : 0;
  if (value.is(cel::Kind::kInt)) return static_cast<double>(value.as_int());
  return value.is(cel::Kind::kUint) ? static_cast<double>(value.as_uint()) : 0;
}

std::expected<const Expression*, std::string> Expression::find(std::string_view text, Scope scope,
                                                               ResultKind kind) {
  using Key = std::tuple<std::string, Scope, ResultKind>;
  static Mutex mutex;
  static std::map<Key, std::unique_ptr<const Expression>> known WINNOW_GUARDED_BY(mutex);
  const Key key(text, scope, kind);
  const MutexLock lock(mutex);
  auto found = known.find(key);
  if (found == known.end()) {
    auto made = compile(text, scope, kind);
    if (!made) return std::unexpected(std::move(made.error()));
    found = known.emplace(key, *std::move(made)).first;
  }
  return found->second.get();
}

Question::Question(const Given& given)
    : interrupted_(given.interrupted),
      context_(given.context),
      sums_(given.view),
      pod_(given.pod, given.accounting),
      cluster_(sums_),
      params_(FieldTree::read(FieldsOf::kPods, given.params)),
      now_(given.now),
      assume_usage_(given.assume_usage),
      kept_under_(given.uses_kept_numbers ? std::format("{} {} ", given.assume_usage, given.params) : "") {}

std::array<Value, kVariables> Question::values() const {
  static const Value kNothing = Value::map(new cel::EntryMap());
  std::array<Value, kVariables> values;
  values[kParams] = kNothing;
  values[kPod] = Value::borrowed_map(&pod_);
  if (const auto params = params_->root().find(Value::borrowed("params"))) values[kParams] = *params;
  values[kNow] = Value::timestamp(now_);
  return values;
}

cel::Evaluation Question::evaluate(const cel::Program& program, std::span<const Value> variables) const {
  return program.evaluate(variables, {.cost = kMostCost, .interrupted = interrupted_, .context = context_});
}

cel::Evaluation Question::ask(const Expression& expression) const {
  return evaluate(expression.program(), values());
}

std::unique_ptr<const ColumnQuestion> Question::columns(const Expression& expression) const {
  if (expression.columns() == nullptr) return nullptr;
  std::array<Value, kVariables + 1> variables;  // The last one is a loop's element.
  std::ranges::copy(values(), variables.begin());
  const std::string kept_under = kept_under_.empty() ? "" : kept_under_ + expression.text();
  return ColumnQuestion::bind(*expression.columns(),
                              {.view = sums_.view(),
                               .assume_usage = assume_usage_,
                               .fixed =
                                   [&](const cel::Program& part, const Value* element) {
                                     variables.back() = element ? *element : Value();
                                     return evaluate(part, variables);
                                   },
                               .sums = sums_,
                               .kept_under = kept_under});
}

Question::Nodes::Nodes(const Question& question)
    : question_(question),
      node_(question.sums_, {.assumed = question.assume_usage_, .now = question.now_}),
      values_(question.values()) {
  values_[kNode] = Value::borrowed_map(&node_);
  values_[kCluster] = Value::borrowed_map(&question.cluster_);
}

cel::Evaluation Question::Nodes::evaluate(const cel::Program& program, NodeId node) {
  node_.turn_to(node);
  cel::Evaluation found = question_.evaluate(program, values_);
  cost_ += found.cost;
  return found;
}

void Question::Nodes::ask_one(const Expression& expression, NodeId node, std::size_t place,
                              FunctionRef<void(std::size_t, const NodeAnswer&)> give) {
  const Value value = ask(expression, node).value;
  NodeAnswer answer;
  if (value.is_error())
    answer.error = &value;
  else
    answer.number = number_of(value);
  give(place, answer);
}

void Question::Nodes::ask_all(const Expression& expression, const ColumnQuestion* columns,
                              std::span<const NodeId> nodes,
                              FunctionRef<void(std::size_t, const NodeAnswer&)> give,
                              FunctionRef<void()> now_and_then) {
  using Block = ColumnQuestion::Block;
  std::optional<Block> block;
  if (columns) block.emplace(*columns);
  constexpr std::uint64_t kDear = 20'000;  // Some hundred microseconds.
  std::uint64_t checked = cost_;
  const auto check_if_dear = [&] {
    if (cost_ - checked < kDear) return;
    checked = cost_;
    now_and_then();
  };
  const auto walk = [&](const cel::Program& part, NodeId node) {
    check_if_dear();
    return evaluate(part, node);
  };
  for (std::size_t begin = 0; begin < nodes.size(); begin += Block::kMost) {
    const std::span<const NodeId> part = nodes.subspan(begin, std::min(Block::kMost, nodes.size() - begin));
    if (block) {
      block->compute(part, walk);
      cost_ += columns->cost_of_node() * part.size();
    }
    for (std::size_t i = 0; i < part.size(); ++i) {
      if (block && !block->is_left(i))
        give(begin + i, {.number = block->value(i)});
      else
        ask_one(expression, part[i], begin + i, give);
      check_if_dear();
    }
    now_and_then();
  }
}

}  // namespace winnow::expressions
