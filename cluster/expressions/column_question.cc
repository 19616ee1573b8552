#include "cluster/expressions/column_question.h"

#include <algorithm>
#include <cmath>
#include <format>
#include <string>
#include <utility>

#include "cluster/expressions/cluster_sums.h"
#include "cluster/expressions/objects.h"
#include "cluster/expressions/schema.h"
#include "cluster/memory_budget.h"

namespace winnow::expressions {
namespace {

/// A list of the pod that is longer, or that has more steps than these in all, is left to the expression.
constexpr std::size_t kMostElements = 16;
constexpr std::uint64_t kMostStepsOfAll = 500;

/// What a loop costs for each element, beside its body.
constexpr std::uint64_t kCostOfElement = 4;

/// A label that nodes have.
constexpr std::string_view kHostname = "kubernetes.io/hostname";

ColumnKind kind_of_type(const cel::Type& type) {
  if (type.is(cel::TypeKind::kBool)) return ColumnKind::kBool;
  return type.is(cel::TypeKind::kInt) ? ColumnKind::kInteger : ColumnKind::kReal;
}

}  // namespace

std::optional<std::pair<ColumnKind, double>> ColumnQuestion::as_column(const cel::Value& value) {
  if (value.is(cel::Kind::kDouble)) return std::pair(ColumnKind::kReal, value.as_double());
  if (value.is(cel::Kind::kBool)) return std::pair(ColumnKind::kBool, value.is_true() ? 1.0 : 0.0);
  if (!value.is(cel::Kind::kInt)) return std::nullopt;
  const auto number = static_cast<double>(value.as_int());
  if (std::abs(number) >= kMostExact) return std::nullopt;
  return std::pair(ColumnKind::kInteger, number);
}

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
    ++made->steps_;
  }
  if (made->cost_ >= kMostCost) return nullptr;
  if (!given.kept_under.empty()) made->bind_kept(given.kept_under);
  return made;
}

bool ColumnQuestion::bind_leaf(const ColumnStep& step, const Given& given, Bound& bound) {
  if (step.op == ColumnOp::kFixed || step.op == ColumnOp::kLabelIs) {
    if (!bind_fixed(step, given, bound)) return false;
  } else if (step.op == ColumnOp::kMatching) {
    if (!bind_matching(step, given, bound)) return false;
  } else if (step.op == ColumnOp::kHasImage) {
    if (!bind_image(step, given, bound)) return false;
  } else if (step.body) {
    const std::uint64_t steps = steps_;
    bound.is_left = !may_be_needed(step) || !bind_elements(step, given, bound);
    if (bound.is_left) {
      bound.elements.clear();
      steps_ = steps;
    }
    bound.kind = ColumnKind::kBool;
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
  const cel::Evaluation found = given.fixed(*step.part, given.element);
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
  const cel::Evaluation labels = given.fixed(*step.part, given.element),
                        namespaces = given.fixed(*step.other, given.element);
  cost_ += labels.cost + namespaces.cost;
  if (labels.value.is_error() || namespaces.value.is_error()) return false;
  bound.counts = given.sums.matching(labels.value, namespaces.value);
  bound.kind = ColumnKind::kInteger;
  return bound.counts != nullptr;
}

bool ColumnQuestion::bind_image(const ColumnStep& step, const Given& given, Bound& bound) {
  const cel::Evaluation name = given.fixed(*step.part, given.element);
  cost_ += name.cost;
  if (!name.value.is(cel::Kind::kString)) return false;
  bound.kind = ColumnKind::kBool;
  bound.has_image.assign(view_.capacity(), false);
  ++cost_;
  for (const std::string& known_as : {std::string(name.value.text()), tagged_image(name.value.text())})
    if (!known_as.empty())
      for (const NodeId node : view_.image(known_as).nodes) bound.has_image[node] = true;
  return true;
}

bool ColumnQuestion::bind_elements(const ColumnStep& step, const Given& given, Bound& bound) {
  const cel::Evaluation range = given.fixed(*step.part, given.element);
  cost_ += range.cost;
  if (!range.value.is(cel::Kind::kList)) return false;
  const cel::List& list = range.value.as_list();
  if (list.size() > kMostElements) return false;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const cel::Value element = list.at(i);
    Given of_element = given;
    of_element.kept_under = {};
    of_element.element = &element;
    auto asked = bind(*step.body, of_element);
    if (!asked || asked->kind() != ColumnKind::kBool) return false;
    cost_ += asked->cost_ + kCostOfElement;
    steps_ += asked->steps_;
    if (steps_ > kMostStepsOfAll) return false;
    bound.elements.push_back(std::move(asked));
  }
  return true;
}

/// What is needed nowhere is not worked out for the sake of others.
bool ColumnQuestion::may_be_needed(const ColumnStep& step) const {
  return std::ranges::all_of(step.guards, [&](const ColumnGuard& guard) {
    const bool is_fixed = program_.steps()[guard.step].op == ColumnOp::kFixed;
    return !is_fixed || (bound_[guard.step].fixed != 0) == guard.value;
  });
}

void ColumnQuestion::bind_kept(std::string_view kept_under) {
  if (view_.has_overlay()) return;
  const MemoryScope kept_memory(nullptr);  // It outlives the request.
  for (const ColumnProgram::Kept& kept : program_.kept()) {
    const std::string key = std::format("{} {}", kept.step, kept_under);
    kept_.push_back(nullptr);
    if (!may_be_needed(program_.steps()[kept.step])) continue;
    kept_.back() = view_.kept_numbers(key);
    if (kept_.back()) continue;
    kept_.clear();  // All of them or none: without a place for one it is computed as if nothing was kept.
    return;
  }
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

}  // namespace winnow::expressions
