#include "cluster/expressions/column_program.h"

#include <array>
#include <numeric>
#include <utility>

namespace winnow::expressions {

std::size_t ColumnStep::operands() const {
  if (op < ColumnOp::kNegate || op >= ColumnOp::kAll) return 0;
  if (op < ColumnOp::kAdd) return 1;
  return op == ColumnOp::kConditional ? 3 : 2;
}

namespace {

std::array<std::uint32_t, 3> operands_of(const ColumnStep& step) { return {step.a, step.b, step.c}; }

}  // namespace

ColumnProgram::ColumnProgram(std::vector<ColumnStep> steps, std::uint32_t result)
    : steps_(std::move(steps)), result_(result), is_dear_(steps_.size()), all_(steps_.size()) {
  std::iota(all_.begin(), all_.end(), 0U);
  for (const std::uint32_t at : all_) {
    const ColumnStep& step = steps_[at];
    bool dear = step.op == ColumnOp::kCapacity || step.op == ColumnOp::kUsage ||
                step.op == ColumnOp::kMetric || step.op == ColumnOp::kWalked;
    for (std::size_t i = 0; i < step.operands(); ++i) dear |= is_dear_[operands_of(step)[i]] != 0;
    is_dear_[at] = dear ? 1 : 0;
  }
  rest_ = steps_of(result_, /*stop_at_kept=*/true);
  for (Kept& kept : kept_) kept.steps = steps_of(kept.step, /*stop_at_kept=*/false);
}

bool ColumnProgram::is_worth_keeping(std::uint32_t step) const {
  return steps_[step].source == ColumnSource::kRow && is_dear_[step] != 0;
}

ColumnProgram::Steps ColumnProgram::steps_of(std::uint32_t step, bool stop_at_kept) {
  std::vector<std::uint8_t> is_wanted(steps_.size());
  is_wanted[step] = 1;
  Steps wanted;
  // What a step takes comes before it.
  for (std::uint32_t at = step + 1; at-- > 0;) {
    if (is_wanted[at] == 0) continue;
    if (stop_at_kept && is_worth_keeping(at)) {
      kept_.push_back({.step = at, .steps = {}});
      continue;
    }
    wanted.insert(wanted.begin(), at);
    for (std::size_t i = 0; i < steps_[at].operands(); ++i) is_wanted[operands_of(steps_[at])[i]] = 1;
    if (stop_at_kept && steps_[at].op == ColumnOp::kWalked)
      for (const ColumnGuard& guard : steps_[at].guards) is_wanted[guard.step] = 1;
  }
  return wanted;
}

}  // namespace winnow::expressions
