// Comparisons with one bound for all of them.
#pragma once

#include "cluster/cel/value.h"

namespace winnow::cel {

/// Compares values until it has looked at too many parts: a list that holds another twice, which holds
/// another twice, and so on, has more parts than any time suffices for. A call has one for all that it
/// compares.
class Comparison {
 public:
  /// As equal(). Once it is exhausted, the result is an error and means nothing.
  Value equal(const Value& a, const Value& b);
  bool is_equal(const Value& a, const Value& b) { return equal(a, b).is_true(); }
  bool is_exhausted() const { return parts_ < 0; }
  /// The result of a call; an error if the comparison was too long.
  Value result(Value value) const;

 private:
  int parts_ = 4'000'000;
};

}  // namespace winnow::cel
