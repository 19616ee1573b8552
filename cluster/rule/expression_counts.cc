#include "cluster/rule/expression_counts.h"

namespace winnow {

ExpressionCounts& CountedExpressions::of(std::string_view rule) {
  const MutexLock lock(mutex_);
  if (const auto known = by_rule_.find(rule); known != by_rule_.end()) return known->second;
  return by_rule_[std::string(by_rule_.size() < kMost ? rule : kOther)];
}

std::vector<CountedExpression> CountedExpressions::all() const {
  const MutexLock lock(mutex_);
  std::vector<CountedExpression> counted;
  for (const auto& [rule, counts] : by_rule_)
    counted.push_back({rule, counts.evaluations.load(std::memory_order_relaxed),
                       counts.errors.load(std::memory_order_relaxed),
                       counts.cost.load(std::memory_order_relaxed)});
  return counted;
}

CountedExpressions& counted_expressions() {
  static CountedExpressions all;
  return all;
}

}  // namespace winnow
