#include "cluster/expressions/expression.h"

#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

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

std::expected<std::unique_ptr<const Expression>, std::string> compile(std::string_view text, Scope scope,
                                                                      ResultKind kind) {
  const cel::Environment& known = environment(scope);
  auto program = cel::Program::compile(text, known);
  if (!program) return std::unexpected(program.error().front().text());
  if (std::string wrong = wrong_type(program->result_type(), kind); !wrong.empty())
    return std::unexpected(std::move(wrong));
  auto ast = cel::parse(text, {known.macros(), known.optional_syntax()});
  if (!ast || !cel::check(*ast, known).empty()) return std::unexpected("cannot be read again");
  return std::make_unique<const Expression>(std::string(text), reads_of(*ast), *std::move(program));
}

}  // namespace

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

cel::Evaluation Expression::evaluate(std::span<const Value> variables, bool (*interrupted)(void*),
                                     void* context) const {
  return program_.evaluate(variables, {.cost = kMostCost, .interrupted = interrupted, .context = context});
}

Question::Question(const Given& given)
    : interrupted_(given.interrupted),
      context_(given.context),
      sums_(given.view),
      pod_(given.pod, given.accounting),
      cluster_(sums_),
      params_(FieldTree::read(FieldsOf::kPods, given.params)),
      now_(given.now),
      assume_usage_(given.assume_usage) {}

std::array<Value, kVariables> Question::values() const {
  static const Value kNothing = Value::map(new cel::EntryMap());
  std::array<Value, kVariables> values;
  values[kParams] = kNothing;
  values[kPod] = Value::borrowed_map(&pod_);
  if (const auto params = params_->root().find(Value::borrowed("params"))) values[kParams] = *params;
  values[kNow] = Value::timestamp(now_);
  return values;
}

cel::Evaluation Question::ask(const Expression& expression) const {
  return expression.evaluate(values(), interrupted_, context_);
}

Question::Nodes::Nodes(const Question& question)
    : question_(question),
      node_(question.sums_, {.assumed = question.assume_usage_, .now = question.now_}),
      values_(question.values()) {
  values_[kNode] = Value::borrowed_map(&node_);
  values_[kCluster] = Value::borrowed_map(&question.cluster_);
}

cel::Evaluation Question::Nodes::ask(const Expression& expression, NodeId node) {
  node_.turn_to(node);
  return expression.evaluate(values_, question_.interrupted_, question_.context_);
}

}  // namespace winnow::expressions
