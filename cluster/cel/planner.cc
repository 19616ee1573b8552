#include "cluster/cel/planner.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/cel/attribute.h"
#include "cluster/cel/library/libraries.h"
#include "cluster/cel/nodes.h"
#include "cluster/cel/operators.h"
#include "cluster/cel/size.h"

namespace winnow::cel {
namespace {

constexpr std::array<std::string_view, 10> kConversions = {"bool", "bytes",  "double",    "duration", "dyn",
                                                           "int",  "string", "timestamp", "type",     "uint"};

/// A variable of a loop that is in sight.
struct LoopVariable {
  std::string_view name;
  std::size_t slot = 0;
  const Node* initial = nullptr;
};

/// The value that a node always has, whatever it costs; null if there is none.
const Value* known_value(const Node& node) {
  if (const Value* constant = node.constant()) return constant;
  const auto* folded = dynamic_cast<const FoldedCall*>(&node);
  return folded == nullptr ? nullptr : &folded->value();
}
void append_costs(std::vector<std::uint64_t>& costs, const Node& node) {
  const auto* folded = dynamic_cast<const FoldedCall*>(&node);
  if (folded != nullptr) costs.insert(costs.end(), folded->costs().begin(), folded->costs().end());
}

class Planner {
 public:
  explicit Planner(const Environment& environment) : environment_(environment) {}

  std::expected<Plan, Issue> plan_all(const Expr* root) {
    Plan plan{.root = make(root)};
    plan.slots = slots_;
    if (issue_) return std::unexpected(*issue_);
    return plan;
  }

 private:
  NodePtr constant(const Expr* expr, Value value) {
    return std::make_unique<Constant>(expr->id, std::move(value));
  }

  /// Keeps the first issue. @return a node in place of what is wrong.
  NodePtr refuse(const Expr* expr, std::string message) {
    if (!issue_) issue_ = Issue{expr->offset, true, std::move(message)};
    return constant(expr, Value());
  }

  NodePtr make(const Expr* expr) {
    switch (expr->kind) {
      case ExprKind::kLiteral:
        return constant(expr, expr->value);
      case ExprKind::kIdent:
        return name(expr);
      case ExprKind::kSelect:
        return select(expr);
      case ExprKind::kCall:
        return make_call(expr);
      case ExprKind::kList:
        return list(expr);
      case ExprKind::kMap:
        return map(expr);
      case ExprKind::kComprehension:
        return loop(expr);
      case ExprKind::kStruct:
        return refuse(expr, "unknown type: " + expr->name);
    }
    return nullptr;
  }
  std::vector<NodePtr> make_all(const std::vector<Expr*>& exprs) {
    std::vector<NodePtr> nodes;
    for (const Expr* expr : exprs) nodes.push_back(make(expr));
    return nodes;
  }

  // Names and selections.

  NodePtr name(const Expr* expr) {
    const bool is_variable = !expr->is_global || environment_.find_variable(expr->reference) >= 0;
    // Upstream takes each name whose type is a type for the name of one.
    if (is_variable && expr->type.is(TypeKind::kType))
      return refuse(expr, "reference to undefined type: " + expr->reference);
    if (!expr->is_global) {
      const auto found =
          std::ranges::find(locals_.rbegin(), locals_.rend(), expr->reference, &LoopVariable::name);
      return std::make_unique<LocalNode>(expr->id, found->slot, found->initial,
                                         found->name == operators::kResult);
    }
    const std::ptrdiff_t index = environment_.find_variable(expr->reference);
    if (index >= 0) return std::make_unique<VariableNode>(expr->id, static_cast<std::size_t>(index));
    const Type* type = environment_.find_type(expr->reference);
    if (type != nullptr && type->name() != expr->reference)
      return refuse(expr, "reference to undefined type: " + expr->reference);
    return constant(expr, type != nullptr ? Value::type(type->name()) : Value::string(expr->reference));
  }

  static NodePtr with(NodePtr operand, Qualifier qualifier) {
    NodePtr node = as_attribute(std::move(operand));
    node->attribute()->add(std::make_shared<const Qualifier>(std::move(qualifier)));
    return node;
  }

  NodePtr select(const Expr* expr) {
    NodePtr node = with(make(expr->operand),
                        {.key = Value::string(expr->name), .node = nullptr, .test_only = expr->test_only});
    if (expr->test_only) node->attribute()->set_test_only();
    return node;
  }

  NodePtr index(const Expr* expr, bool optional) {
    NodePtr operand = make(expr->arguments[0]);
    NodePtr key = make(expr->arguments[1]);
    if (const Value* value = key->constant()) {
      if (!may_select(*value)) return refuse(expr->arguments[1], "invalid qualifier type");
      return with(std::move(operand), {.key = *value, .node = nullptr, .optional = optional});
    }
    return with(std::move(operand), {.key = std::nullopt, .node = std::move(key), .optional = optional});
  }

  // Calls.

  NodePtr make_call(const Expr* expr) {
    const std::string_view name = expr->name;
    if (name == operators::kIndex) return index(expr, false);
    if (name == operators::kOptIndex || name == operators::kOptSelect) return index(expr, true);
    std::vector<NodePtr> arguments;
    if (expr->operand != nullptr) arguments.push_back(make(expr->operand));
    for (const Expr* argument : expr->arguments) arguments.push_back(make(argument));
    if (NodePtr special = operation(expr, arguments)) return special;
    return plain_call(expr, std::move(arguments));
  }

  /// What the evaluator computes itself; null of other calls.
  NodePtr operation(const Expr* expr, std::vector<NodePtr>& arguments) {
    const std::string_view name = expr->name;
    const auto take = [&](std::size_t i) { return std::move(arguments[i]); };
    if (name == operators::kAnd || name == operators::kOr)
      return std::make_unique<LogicNode>(expr->id, name == operators::kOr, std::move(arguments));
    if (name == operators::kEquals || name == operators::kNotEquals)
      return std::make_unique<EqualityNode>(expr->id, name == operators::kNotEquals, take(0), take(1));
    if (name == operators::kConditional)
      return std::make_unique<ConditionalNode>(expr->id, take(0), take(1), take(2));
    if (name == operators::kNotStrictlyFalse) return std::make_unique<NotStrictlyFalse>(expr->id, take(0));
    if ((name == "or" || name == "orValue") && arguments.size() == 2)
      return std::make_unique<OptionalOr>(expr->id, name == "orValue", take(0), take(1));
    return nullptr;
  }

  static Target target_of(const Expr* expr, std::size_t arguments) {
    Target target{.function = expr->function};
    if (expr->overloads.size() == 1) target.overload = expr->overloads.front();
    target.cost = call_cost(expr->name, target.overload == nullptr ? "" : target.overload->id);
    target.needs_result = needs_result(target.cost);
    // Upstream has functions for one and for two arguments, which evaluate all of them, and others.
    const bool has_own = target.function->all != nullptr || target.overload != nullptr ||
                         target.function->overloads.size() == 1;
    target.ends_at_error = arguments > 2 || !has_own || expr->name == "format";
    return target;
  }

  NodePtr plain_call(const Expr* expr, std::vector<NodePtr> arguments) {
    const Target target = target_of(expr, arguments.size());
    if (target.overload != nullptr && target.overload->id == "in_list" && arguments[1]->constant() != nullptr)
      if (NodePtr node = membership(expr, arguments)) return node;
    if (expr->name == "matches" || expr->name == "find" || expr->name == "findAll")
      if (arguments[1]->constant() != nullptr && arguments[1]->constant()->is(Kind::kString))
        return regex(expr, target, std::move(arguments));
    const bool is_conversion = std::ranges::find(kConversions, expr->name) != kConversions.end();
    if (is_conversion && arguments.size() == 1 && arguments[0]->constant() != nullptr) {
      Value value = call(target, std::span(arguments[0]->constant(), 1));
      return value.is_error() ? refuse(expr, value.message()) : constant(expr, std::move(value));
    }
    if (NodePtr folded = fold(expr, target, arguments)) return folded;
    return std::make_unique<CallNode>(expr->id, target, std::move(arguments));
  }

  /// What is larger is not computed before it is needed.
  static constexpr std::uint64_t kLargest = 1000;
  static constexpr std::uint64_t kDearest = 10'000;

  /// Computes a call of known values once. What it costs stays. An error is left for the evaluation.
  static NodePtr fold(const Expr* expr, const Target& target, const std::vector<NodePtr>& arguments) {
    std::vector<Value> values;
    std::vector<std::uint64_t> costs;
    for (const NodePtr& argument : arguments) {
      const Value* value = known_value(*argument);
      if (value == nullptr || size_of(*value).value_or(0) > kLargest) return nullptr;
      values.push_back(*value);
      append_costs(costs, *argument);
    }
    if (!target.needs_result && target.cost(values, Value()) > kDearest) return nullptr;
    Value result = call(target, values);
    if (result.is_error()) return nullptr;
    costs.push_back(target.cost(values, result));
    return std::make_unique<FoldedCall>(expr->id, std::move(result), std::move(costs));
  }

  static NodePtr membership(const Expr* expr, std::vector<NodePtr>& arguments) {
    const Value list = *arguments[1]->constant();
    if (!list.is(Kind::kList)) return nullptr;
    if (list.as_list().size() == 0) return std::make_unique<Constant>(expr->id, Value::boolean(false));
    for (std::size_t i = 0; i < list.as_list().size(); ++i) {
      const Value item = list.as_list().at(i);
      if (!item.is_number() && !item.is(Kind::kBool) && !item.is(Kind::kString)) return nullptr;
    }
    return std::make_unique<MembershipNode>(expr->id, std::move(arguments[0]), list.as_list());
  }

  NodePtr regex(const Expr* expr, Target target, std::vector<NodePtr> arguments) {
    Regex regex(arguments[1]->constant()->text());
    if (!regex.error().empty()) return refuse(expr, regex.error());
    target.ends_at_error = true;
    const RegexCall::Compute compute = regex_call(expr->name);
    return std::make_unique<RegexCall>(expr->id, target, std::move(arguments), std::move(regex), compute);
  }

  // Lists, maps and loops.

  static bool are_constant(const std::vector<NodePtr>& nodes) {
    return std::ranges::all_of(nodes, [](const NodePtr& node) { return node->constant() != nullptr; });
  }
  /// What a list or map of constants is, for nothing.
  NodePtr literal(const Expr* expr, NodePtr node, bool is_constant) {
    if (!is_constant) return node;
    const EvaluationLimits limits;
    Frame frame({}, 0, limits);
    return constant(expr, node->evaluate(frame));
  }

  NodePtr list(const Expr* expr) {
    std::vector<NodePtr> elements = make_all(expr->arguments);
    const bool is_constant = are_constant(elements);
    return literal(expr, std::make_unique<ListNode>(expr->id, std::move(elements), expr->optionals),
                   is_constant);
  }
  NodePtr map(const Expr* expr) {
    std::vector<NodePtr> entries = make_all(expr->arguments);
    const bool is_constant = are_constant(entries);
    return literal(expr, std::make_unique<MapNode>(expr->id, std::move(entries), expr->optionals),
                   is_constant);
  }

  NodePtr loop(const Expr* expr) {
    const Comprehension& loop = expr->loop;
    LoopNode::Parts parts;
    parts.initial = make(loop.initial);
    parts.range = make(loop.range);
    parts.accumulator = slots_++;
    parts.first = slots_++;
    locals_.push_back({loop.accumulator, parts.accumulator, parts.initial.get()});
    const std::size_t outer = locals_.size();
    locals_.push_back({loop.variable, parts.first, nullptr});
    if (!loop.second_variable.empty()) {
      parts.second = slots_++;
      locals_.push_back({loop.second_variable, *parts.second, nullptr});
    }
    parts.condition = make(loop.condition);
    parts.step = make(loop.step);
    locals_.resize(outer);
    parts.result = make(loop.result);
    locals_.pop_back();
    return std::make_unique<LoopNode>(expr->id, std::move(parts));
  }

  const Environment& environment_;
  std::vector<LoopVariable> locals_;
  std::size_t slots_ = 0;
  std::optional<Issue> issue_;
};

}  // namespace

std::expected<Plan, Issue> plan(const Ast& ast, const Environment& environment) {
  return Planner(environment).plan_all(ast.root);
}

}  // namespace winnow::cel
