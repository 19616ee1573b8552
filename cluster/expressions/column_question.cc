#include <algorithm>
#include <cmath>
#include <utility>

#include "cluster/expressions/column_program.h"
#include "cluster/expressions/expression.h"
#include "cluster/expressions/objects.h"

namespace winnow::expressions {
namespace {

/// Integers up to here are exact as doubles.
constexpr double kMostExact = 9'007'199'254'740'992.0;

/// A label that nodes have.
constexpr std::string_view kHostname = "kubernetes.io/hostname";

/// A number or a bool of a column. @return nothing: the value is none.
std::optional<std::pair<ColumnKind, double>> as_column(const cel::Value& value) {
  if (value.is(cel::Kind::kDouble)) return std::pair(ColumnKind::kReal, value.as_double());
  if (value.is(cel::Kind::kBool)) return std::pair(ColumnKind::kBool, value.is_true() ? 1.0 : 0.0);
  if (!value.is(cel::Kind::kInt)) return std::nullopt;
  const auto number = static_cast<double>(value.as_int());
  if (std::abs(number) >= kMostExact) return std::nullopt;
  return std::pair(ColumnKind::kInteger, number);
}

ColumnKind kind_of_type(const cel::Type& type) {
  if (type.is(cel::TypeKind::kBool)) return ColumnKind::kBool;
  return type.is(cel::TypeKind::kInt) ? ColumnKind::kInteger : ColumnKind::kReal;
}

}  // namespace

std::unique_ptr<const ColumnQuestion> ColumnQuestion::bind(const ColumnProgram& program, const Given& given) {
  std::unique_ptr<ColumnQuestion> made(new ColumnQuestion(program, given));
  for (const ColumnStep& step : program.steps()) {
    Bound bound;
    if (!made->bind_leaf(step, given, bound)) return nullptr;
    const auto kind = made->kind_of(step, bound);
    if (!kind) return nullptr;
    made->kinds_.push_back(*kind);
    made->bound_.push_back(std::move(bound));
    made->cost_ += kCostOfStep;
  }
  return made->cost_ < kMostCost ? std::move(made) : nullptr;
}

bool ColumnQuestion::bind_leaf(const ColumnStep& step, const Given& given, Bound& bound) {
  if (step.op == ColumnOp::kFixed || step.op == ColumnOp::kLabelIs) {
    if (!bind_fixed(step, given, bound)) return false;
  } else if (step.op == ColumnOp::kMatching) {
    if (!bind_matching(step, given, bound)) return false;
  } else if (step.op == ColumnOp::kAmount) {
    bind_amount(step, bound);
  } else if (step.op == ColumnOp::kPods) {
    bound.column = view_.column(&NodeColumns::pods);
    bound.kind = ColumnKind::kInteger;
  } else if (step.op == ColumnOp::kWalked) {
    bound.kind = kind_of_type(step.part->result_type());
  }
  if (step.op == ColumnOp::kLabelIs || step.op == ColumnOp::kHasLabel || step.op == ColumnOp::kHasLabels) {
    bound.kind = ColumnKind::kBool;
    bound.label = view_.label(step.op == ColumnOp::kHasLabels ? kHostname : step.key);
    bound.hostname = view_.label(kHostname);
  }
  return true;
}

/// A part that is an error is one of each node, or of none: the expression itself says which.
bool ColumnQuestion::bind_fixed(const ColumnStep& step, const Given& given, Bound& bound) {
  const cel::Evaluation found = given.fixed(*step.part);
  cost_ += found.cost;
  if (step.op == ColumnOp::kLabelIs) {
    if (!found.value.is(cel::Kind::kString)) return false;
    bound.symbol = view_.symbol(found.value.text());
    return true;
  }
  const auto value = as_column(found.value);
  if (!value) return false;
  bound.kind = value->first;
  bound.fixed = value->second;
  return true;
}

bool ColumnQuestion::bind_matching(const ColumnStep& step, const Given& given, Bound& bound) {
  const cel::Evaluation labels = given.fixed(*step.part), namespaces = given.fixed(*step.other);
  cost_ += labels.cost + namespaces.cost;
  if (labels.value.is_error() || namespaces.value.is_error()) return false;
  bound.counts = given.sums.matching(labels.value, namespaces.value);
  bound.kind = ColumnKind::kInteger;
  return bound.counts != nullptr;
}

void ColumnQuestion::bind_amount(const ColumnStep& step, Bound& bound) {
  for (const CommonAmount& one : kCommonAmounts)
    if (one.name == step.key) {
      bound.column = view_.column(step.requested ? one.requested : one.allocatable);
      bound.unit = one.unit;
      return;
    }
  const ScalarColumns scalar = view_.scalar(step.key);
  bound.column = step.requested ? scalar.requested : scalar.allocatable;
  bound.is_scalar = true;
  bound.symbol = view_.symbol(step.key);
}

std::optional<ColumnKind> ColumnQuestion::kind_of(const ColumnStep& step, const Bound& bound) const {
  const auto kind = [&](std::uint32_t of) { return kinds_[of]; };
  const auto is_bool = [&](std::uint32_t of) { return kind(of) == ColumnKind::kBool; };
  const auto given = [](bool fits, ColumnKind gives) { return fits ? std::optional(gives) : std::nullopt; };
  switch (step.op) {
    case ColumnOp::kNegate:
      return given(!is_bool(step.a), kind(step.a));
    case ColumnOp::kNot:
      return given(is_bool(step.a), ColumnKind::kBool);
    case ColumnOp::kToReal:
      return given(kind(step.a) == ColumnKind::kInteger, ColumnKind::kReal);
    case ColumnOp::kIsThere:
      return ColumnKind::kBool;
    case ColumnOp::kAdd:
    case ColumnOp::kSubtract:
    case ColumnOp::kMultiply:
    case ColumnOp::kLeast:
    case ColumnOp::kMost:
      return given(kind(step.a) == kind(step.b) && !is_bool(step.a), kind(step.a));
    case ColumnOp::kDivide:
      return given(kind(step.a) == ColumnKind::kReal && kind(step.b) == ColumnKind::kReal, ColumnKind::kReal);
    case ColumnOp::kLess:
    case ColumnOp::kLessEquals:
    case ColumnOp::kGreater:
    case ColumnOp::kGreaterEquals:
      return given(!is_bool(step.a) && !is_bool(step.b), ColumnKind::kBool);
    case ColumnOp::kEquals:
    case ColumnOp::kNotEquals:
      return given(is_bool(step.a) == is_bool(step.b), ColumnKind::kBool);
    case ColumnOp::kAnd:
    case ColumnOp::kOr:
      return given(is_bool(step.a) && is_bool(step.b), ColumnKind::kBool);
    case ColumnOp::kConditional:
      return given(is_bool(step.a) && kind(step.b) == kind(step.c), kind(step.b));
    default:
      return bound.kind;
  }
}

// ---- a block of nodes ----

ColumnQuestion::Block::Block(const ColumnQuestion& question)
    : question_(question), values_(question.bound_.size()), left_(question.bound_.size()) {
  for (std::size_t step = 0; step < values_.size(); ++step)
    if (question.program_.steps()[step].op == ColumnOp::kFixed) {
      values_[step].fill(question.bound_[step].fixed);
      left_[step].fill(0);
    }
}

void ColumnQuestion::Block::compute(std::span<const NodeId> nodes, Walk walk) {
  walked_cost_.fill(0);
  const std::vector<ColumnStep>& steps = question_.program_.steps();
  for (std::size_t step = 0; step < steps.size(); ++step) {
    switch (steps[step].op) {
      case ColumnOp::kFixed:
        break;
      case ColumnOp::kAmount:
      case ColumnOp::kPods:
        read_amounts(step, nodes);
        break;
      case ColumnOp::kMatching:
        for (std::size_t i = 0; i < nodes.size(); ++i)
          values_[step][i] = static_cast<double>((*question_.bound_[step].counts)[nodes[i]]);
        left_[step].fill(0);
        break;
      case ColumnOp::kCapacity:
        read_capacity(step, nodes);
        break;
      case ColumnOp::kUsage:
      case ColumnOp::kMetric:
        read_load(step, nodes);
        break;
      case ColumnOp::kIsThere:
        for (std::size_t i = 0; i < nodes.size(); ++i)
          values_[step][i] = left_[steps[step].a][i] == 0 ? 1 : 0;
        left_[step].fill(0);
        break;
      case ColumnOp::kLabelIs:
      case ColumnOp::kHasLabel:
      case ColumnOp::kHasLabels:
        read_labels(step, nodes);
        break;
      case ColumnOp::kWalked:
        evaluate(step, nodes, walk);
        break;
      case ColumnOp::kNegate:
      case ColumnOp::kNot:
      case ColumnOp::kToReal:
      case ColumnOp::kAdd:
      case ColumnOp::kSubtract:
      case ColumnOp::kMultiply:
      case ColumnOp::kDivide:
      case ColumnOp::kLeast:
      case ColumnOp::kMost:
        calculate(step, nodes.size());
        break;
      case ColumnOp::kAnd:
      case ColumnOp::kOr:
      case ColumnOp::kConditional:
        decide(step, nodes.size());
        break;
      default:
        compare(step, nodes.size());
    }
  }
}

void ColumnQuestion::Block::read_amounts(std::size_t at, std::span<const NodeId> nodes) {
  const Bound& bound = question_.bound_[at];
  const Column<std::int64_t> column = *bound.column;
  Values& out = values_[at];
  Flags& left = left_[at];
  for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = static_cast<double>(column[nodes[i]]) / bound.unit;
  left.fill(0);
  if (!bound.is_scalar) return;
  // What others offer may be requested there: NodeObject knows.
  for (std::size_t i = 0; i < nodes.size(); ++i)
    left[i] = std::ranges::contains(question_.view_.offers(nodes[i]), bound.symbol) ? 0 : 1;
}

void ColumnQuestion::Block::read_capacity(std::size_t at, std::span<const NodeId> nodes) {
  const auto member = [](const std::optional<cel::Value>& of, std::string_view key) {
    return of && of->is(cel::Kind::kMap) ? of->as_map().find(cel::Value::borrowed(key)) : std::nullopt;
  };
  const std::string& key = question_.program_.steps()[at].key;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const auto status = question_.view_.fields(nodes[i]).root().find(cel::Value::borrowed("status"));
    const auto amount = member(member(status, "capacity"), key);
    const bool is_there = amount && amount->is(cel::Kind::kDouble);
    values_[at][i] = is_there ? amount->as_double() : 0;
    left_[at][i] = is_there ? 0 : 1;
  }
}

void ColumnQuestion::Block::read_load(std::size_t at, std::span<const NodeId> nodes) {
  const ColumnStep& step = question_.program_.steps()[at];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NodeLoad& load = question_.view_.load(nodes[i]);
    std::optional<double> found;
    if (step.op == ColumnOp::kMetric) {
      if (const auto metric = load.metrics.find(step.key); metric != load.metrics.end())
        found = metric->second;
    } else if (const auto usage = counted_usage(load, question_.assume_usage_)) {
      found = step.memory ? usage->memory : usage->cpu;
    }
    values_[at][i] = found.value_or(0);
    left_[at][i] = found ? 0 : 1;
  }
}

/// A node without any labels has no field `labels` either: then the expression says what follows. A node with
/// a hostname has labels.
void ColumnQuestion::Block::read_labels(std::size_t at, std::span<const NodeId> nodes) {
  const Bound& bound = question_.bound_[at];
  const bool compares = question_.program_.steps()[at].op == ColumnOp::kLabelIs;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Symbol label = (*bound.label)[nodes[i]];
    values_[at][i] = label != kNone && (!compares || label == bound.symbol) ? 1 : 0;
    left_[at][i] = label == kNone && (compares || (*bound.hostname)[nodes[i]] == kNone) ? 1 : 0;
  }
}

void ColumnQuestion::Block::evaluate(std::size_t at, std::span<const NodeId> nodes, Walk walk) {
  const ColumnStep& step = question_.program_.steps()[at];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    values_[at][i] = 0;
    left_[at][i] = 1;
    if (!is_needed(step, i)) continue;
    const cel::Evaluation found = walk(*step.part, nodes[i]);
    walked_cost_[i] += found.cost;
    const auto value = as_column(found.value);
    if (!value || value->first != question_.kinds_[at] || walked_cost_[i] + question_.cost_ > kMostCost)
      continue;
    values_[at][i] = value->second;
    left_[at][i] = 0;
  }
}

bool ColumnQuestion::Block::is_needed(const ColumnStep& step, std::size_t place) const {
  return std::ranges::all_of(step.guards, [&](const ColumnGuard& guard) {
    return !left_[guard.step][place] && (values_[guard.step][place] != 0) == guard.value;
  });
}

void ColumnQuestion::Block::calculate(std::size_t at, std::size_t count) {
  const ColumnStep& step = question_.program_.steps()[at];
  const Values& a = values_[step.a];
  const Values& b = values_[step.b];
  Values& out = values_[at];
  Flags& left = left_[at];
  const auto each = [&](const auto& gives) {
    for (std::size_t i = 0; i < count; ++i) out[i] = gives(a[i], b[i]);
  };
  const bool is_unary =
      step.op == ColumnOp::kNegate || step.op == ColumnOp::kNot || step.op == ColumnOp::kToReal;
  for (std::size_t i = 0; i < count; ++i)
    left[i] = static_cast<std::uint8_t>(left_[step.a][i] | (is_unary ? 0 : left_[step.b][i]));
  const bool is_whole = question_.kinds_[at] == ColumnKind::kInteger;
  if (step.op == ColumnOp::kNegate) each([](double x, double) { return -x; });
  if (step.op == ColumnOp::kNot) each([](double x, double) { return 1 - x; });
  if (step.op == ColumnOp::kToReal) each([](double x, double) { return x; });
  if (step.op == ColumnOp::kAdd) each([](double x, double y) { return x + y; });
  if (step.op == ColumnOp::kSubtract) each([](double x, double y) { return x - y; });
  if (step.op == ColumnOp::kMultiply) each([](double x, double y) { return x * y; });
  if (step.op == ColumnOp::kDivide) each([](double x, double y) { return x / y; });
  if (step.op == ColumnOp::kLeast) each([](double x, double y) { return x > y ? y : x; });
  if (step.op == ColumnOp::kMost) each([](double x, double y) { return x < y ? y : x; });
  if (step.op == ColumnOp::kLeast || step.op == ColumnOp::kMost)
    for (std::size_t i = 0; i < count; ++i)
      if (std::isnan(a[i]) || std::isnan(b[i])) left[i] = 1;  // It has no order.
  if (!is_whole) return;
  for (std::size_t i = 0; i < count; ++i) {
    out[i] += 0.0;  // -0 becomes 0: no integer has it.
    if (std::abs(out[i]) >= kMostExact) left[i] = 1;
  }
}

void ColumnQuestion::Block::compare(std::size_t at, std::size_t count) {
  const ColumnStep& step = question_.program_.steps()[at];
  const Values& a = values_[step.a];
  const Values& b = values_[step.b];
  Values& out = values_[at];
  const auto each = [&](const auto& holds) {
    for (std::size_t i = 0; i < count; ++i) out[i] = holds(a[i], b[i]) ? 1.0 : 0.0;
  };
  // What is not a number is equal to nothing, and has no order: that is an error.
  const bool orders = step.op != ColumnOp::kEquals && step.op != ColumnOp::kNotEquals;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_error = orders && (std::isnan(a[i]) || std::isnan(b[i]));
    left_[at][i] = static_cast<std::uint8_t>(left_[step.a][i] | left_[step.b][i] | (is_error ? 1 : 0));
  }
  if (step.op == ColumnOp::kLess) each([](double x, double y) { return x < y; });
  if (step.op == ColumnOp::kLessEquals) each([](double x, double y) { return x <= y; });
  if (step.op == ColumnOp::kGreater) each([](double x, double y) { return x > y; });
  if (step.op == ColumnOp::kGreaterEquals) each([](double x, double y) { return x >= y; });
  if (step.op == ColumnOp::kEquals) each([](double x, double y) { return x == y; });
  if (step.op == ColumnOp::kNotEquals) each([](double x, double y) { return x != y; });
}

/// What an operand is does not matter where the other one decides.
void ColumnQuestion::Block::decide(std::size_t at, std::size_t count) {
  const ColumnStep& step = question_.program_.steps()[at];
  for (std::size_t i = 0; i < count; ++i) {
    const bool first = values_[step.a][i] != 0;
    bool takes_b = true;
    double otherwise = 0;
    if (step.op == ColumnOp::kConditional) {
      takes_b = first;
      otherwise = values_[step.c][i];
    } else if (step.op == ColumnOp::kAnd) {
      takes_b = first;
    } else {
      takes_b = !first;
      otherwise = 1;
    }
    std::uint8_t left = left_[step.a][i];
    if (takes_b)
      left |= left_[step.b][i];
    else if (step.op == ColumnOp::kConditional)
      left |= left_[step.c][i];
    values_[at][i] = takes_b ? values_[step.b][i] : otherwise;
    left_[at][i] = left;
  }
}

}  // namespace winnow::expressions
