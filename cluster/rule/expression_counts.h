// How often the expressions of rules were evaluated in this process, what failed, and what that cost.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/mutex.h"

namespace winnow {

/// Of one rule, by its name. All only grow. Threads may add at once.
struct ExpressionCounts {
  std::atomic<std::uint64_t> evaluations{0}, errors{0};
  std::atomic<std::uint64_t> cost{0};  ///< In Kubernetes' units.

  void add(std::uint64_t more_evaluations, std::uint64_t more_errors, std::uint64_t more_cost) {
    evaluations.fetch_add(more_evaluations, std::memory_order_relaxed);
    errors.fetch_add(more_errors, std::memory_order_relaxed);
    cost.fetch_add(more_cost, std::memory_order_relaxed);
  }
};

/// The counts of a rule at one time.
struct CountedExpression {
  std::string rule;
  std::uint64_t evaluations, errors, cost;
};

/// The counts of rules. Thread-safe.
class CountedExpressions {
 public:
  /// The most rules that have counts of their own. Further ones share those of kOther.
  static constexpr std::size_t kMost = 200;
  static constexpr std::string_view kOther = "(other)";

  /// The counts of a rule, which live as long as this. Takes a lock: a rule asks once for a request.
  ExpressionCounts& of(std::string_view rule);
  /// Of all rules so far, by name.
  std::vector<CountedExpression> all() const;

 private:
  mutable Mutex mutex_;
  /// Its elements do not move.
  std::map<std::string, ExpressionCounts, std::less<>> by_rule_ WINNOW_GUARDED_BY(mutex_);
};

/// Those of the process.
CountedExpressions& counted_expressions();

}  // namespace winnow
