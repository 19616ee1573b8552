// How many nodes each rule refuses, counted in the loop that looks at the verdicts anyway.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "extender/decisions/decision_record.h"
#include "extender/engine/engine.h"

namespace winnow {

/// Counts the nodes by rule and verdict. It makes no texts until told(), and allocates
/// only where there are more than kMostRefusalKinds. Used by one thread.
class RefusalCounts {
 public:
  /// Counts a node that this rule was the first to refuse.
  void add(std::uint16_t rule, Verdict verdict) {
    // Neighbours are often refused alike.
    if (last_ < used_ && kinds_[last_].is(rule, verdict)) {
      ++kinds_[last_].nodes;
      return;
    }
    add_other(rule, verdict);
  }

  /// The counts with the texts of the reasons, the rule with the most nodes first.
  /// @param filtered  the verdicts that were counted.
  std::vector<RefusedByRule> told(const Filtered& filtered) const;

 private:
  struct Kind {
    Verdict verdict;
    std::uint32_t nodes = 0;
    std::uint16_t rule = 0;

    bool is(std::uint16_t of, Verdict by) const { return rule == of && verdict == by; }
  };

  void add_other(std::uint16_t rule, Verdict verdict);

  std::array<Kind, kMostRefusalKinds> kinds_;
  std::size_t used_ = 0, last_ = 0;
  std::vector<std::uint32_t> left_out_;  ///< By rule: nodes of kinds for which there was no room.
};

}  // namespace winnow
