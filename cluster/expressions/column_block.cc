// A block of nodes, and what is kept of nodes by row.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "cluster/expressions/column_question.h"
#include "cluster/expressions/objects.h"
#include "cluster/expressions/schema.h"
#include "cluster/state/node_load.h"

namespace winnow::expressions {
namespace {

/// A number that is kept by row, with what else is to be known of it, as a note that is not 0.
struct KeptAnswer {
  std::uint64_t cost = 0;  ///< Of the parts that were evaluated.
  bool is_left = false;    ///< To the expression.

  static KeptAnswer of(std::uint32_t note) { return {.cost = note >> 2, .is_left = (note & 2) != 0}; }
  std::uint32_t note() const {
    return static_cast<std::uint32_t>(std::min(cost, kMostCost + 1) << 2 | (is_left ? 2 : 0) | 1);
  }
};

}  // namespace

ColumnQuestion::Block::Block(const ColumnQuestion& question)
    : question_(question),
      values_(question.bound_.size()),
      left_(question.bound_.size()),
      is_computed_(question.bound_.size()),
      elements_(question.bound_.size()) {
  for (std::size_t step = 0; step < values_.size(); ++step) {
    if (question.program_.steps()[step].op == ColumnOp::kFixed) {
      values_[step].fill(question.bound_[step].fixed);
      left_[step].fill(0);
    }
    for (const auto& element : question.bound_[step].elements) elements_[step].emplace_back(*element);
  }
}

void ColumnQuestion::Block::compute(std::span<const NodeId> nodes, Walk walk) {
  const ColumnProgram& program = question_.program_;
  const bool keeps = !question_.kept_.empty();
  for (std::size_t kept = 0; kept < question_.kept_.size(); ++kept)
    if (question_.kept_[kept]) fill(kept, nodes, walk);
  walked_cost_.fill(0);
  fixed_cost_ = question_.cost_;
  std::ranges::fill(is_computed_, 0);
  for (std::size_t kept = 0; kept < question_.kept_.size(); ++kept) read_kept(kept, nodes);
  run(keeps ? program.rest() : program.all(), nodes, walk);
}

/// Guards that other parts of the expression give do not count here: another pod may need the value.
void ColumnQuestion::Block::fill(std::size_t kept, std::span<const NodeId> nodes, Walk walk) {
  // The time may end in the middle. What has been evaluated by then is not lost, so that another try gets on.
  constexpr std::size_t kAtOnce = 8;
  const NumbersByRow& numbers = *question_.kept_[kept];
  std::array<NodeId, kAtOnce> unknown{};
  std::size_t count = 0;
  for (const NodeId node : nodes) {
    if (numbers[node].note == 0) unknown[count++] = node;
    if (count == kAtOnce) keep(kept, std::span(unknown).first(std::exchange(count, 0)), walk);
  }
  if (count > 0) keep(kept, std::span(unknown).first(count), walk);
}

void ColumnQuestion::Block::keep(std::size_t kept, std::span<const NodeId> nodes, Walk walk) {
  const ColumnProgram::Kept& what = question_.program_.kept()[kept];
  walked_cost_.fill(0);
  was_interrupted_.fill(0);
  fixed_cost_ = 0;
  std::ranges::fill(is_computed_, 0);
  run(what.steps, nodes, walk);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (was_interrupted_[i] != 0) continue;
    const KeptAnswer answer{.cost = walked_cost_[i], .is_left = left_[what.step][i] != 0};
    question_.kept_[kept]->put(nodes[i],
                               {.value = answer.is_left ? 0 : values_[what.step][i], .note = answer.note()});
  }
}

void ColumnQuestion::Block::read_kept(std::size_t kept, std::span<const NodeId> nodes) {
  const NumbersByRow* const numbers = question_.kept_[kept].get();
  const std::uint32_t at = question_.program_.kept()[kept].step;
  Values& values = values_[at];
  Flags& left = left_[at];
  is_computed_[at] = 1;
  if (numbers == nullptr) {  // It is needed nowhere.
    values.fill(0);
    left.fill(1);
    return;
  }
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const NumbersByRow::Entry entry = (*numbers)[nodes[i]];
    const KeptAnswer answer = KeptAnswer::of(entry.note);
    values[i] = entry.value;
    walked_cost_[i] += answer.cost;
    const bool is_known = entry.note != 0 && walked_cost_[i] + fixed_cost_ <= kMostCost;
    left[i] = is_known && !answer.is_left ? 0 : 1;
  }
}

void ColumnQuestion::Block::run(const ColumnProgram::Steps& steps, std::span<const NodeId> nodes, Walk walk) {
  for (const std::uint32_t step : steps) {
    run_step(step, nodes, walk);
    is_computed_[step] = 1;
  }
}

void ColumnQuestion::Block::run_step(std::size_t at, std::span<const NodeId> nodes, Walk walk) {
  const ColumnStep& step = question_.program_.steps()[at];
  switch (step.op) {
    case ColumnOp::kFixed:
      return;
    case ColumnOp::kAmount:
    case ColumnOp::kPods:
      return read_amounts(at, nodes);
    case ColumnOp::kMatching:
      for (std::size_t i = 0; i < nodes.size(); ++i)
        values_[at][i] = static_cast<double>((*question_.bound_[at].counts)[nodes[i]]);
      return left_[at].fill(0);
    case ColumnOp::kHasImage:
      for (std::size_t i = 0; i < nodes.size(); ++i)
        values_[at][i] = question_.bound_[at].has_image[nodes[i]];
      return left_[at].fill(0);
    case ColumnOp::kCapacity:
      return read_capacity(at, nodes);
    case ColumnOp::kUsage:
    case ColumnOp::kMetric:
      return read_load(at, nodes);
    case ColumnOp::kIsThere:
      for (std::size_t i = 0; i < nodes.size(); ++i) values_[at][i] = left_[step.a][i] == 0 ? 1 : 0;
      return left_[at].fill(0);
    case ColumnOp::kLabelIs:
    case ColumnOp::kHasLabel:
    case ColumnOp::kHasLabels:
      return read_labels(at, nodes);
    case ColumnOp::kWalked:
      return evaluate(at, nodes, walk);
    case ColumnOp::kNegate:
    case ColumnOp::kNot:
    case ColumnOp::kToReal:
    case ColumnOp::kAdd:
    case ColumnOp::kSubtract:
    case ColumnOp::kMultiply:
    case ColumnOp::kDivide:
    case ColumnOp::kLeast:
    case ColumnOp::kMost:
      return calculate(at, nodes.size());
    case ColumnOp::kAnd:
    case ColumnOp::kOr:
    case ColumnOp::kConditional:
      return decide(at, nodes.size());
    case ColumnOp::kAll:
    case ColumnOp::kAny:
      return ask_elements(at, nodes);
    default:
      compare(at, nodes.size());
  }
}

/// A node that some element leaves is left: the expression knows which elements it asks.
void ColumnQuestion::Block::ask_elements(std::size_t at, std::span<const NodeId> nodes) {
  const bool is_all = question_.program_.steps()[at].op == ColumnOp::kAll;
  Values& out = values_[at];
  Flags& left = left_[at];
  out.fill(is_all ? 1 : 0);
  left.fill(question_.bound_[at].is_left ? 1 : 0);
  const auto walk = [](const cel::Program&, NodeId) { return cel::Evaluation{}; };  // There is no such part.
  for (Block& element : elements_[at]) {
    element.compute(nodes, walk);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const bool holds = element.value(i) != 0;
      out[i] = (is_all ? out[i] != 0 && holds : out[i] != 0 || holds) ? 1 : 0;
      if (element.is_left(i)) left[i] = 1;
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
    if (found.interrupted) was_interrupted_[i] = 1;
    const auto value = as_column(found.value);
    if (!value || value->first != question_.kinds_[at] || walked_cost_[i] + fixed_cost_ > kMostCost) continue;
    values_[at][i] = value->second;
    left_[at][i] = 0;
  }
}

/// A guard that is not computed in this run tells nothing.
bool ColumnQuestion::Block::is_needed(const ColumnStep& step, std::size_t place) const {
  return std::ranges::all_of(step.guards, [&](const ColumnGuard& guard) {
    if (is_computed_[guard.step] == 0) return true;
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
