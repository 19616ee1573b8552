// What the scores' way of reuse works with: see reuse_scores.cc and reuse_groups.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "cluster/go_math.h"
#include "cluster/rule/rule.h"
#include "extender/engine/engine.h"
#include "extender/reuse/kept_class.h"

namespace winnow {

/// A row whose raw score has changed.
struct RawMove {
  NodeId row = kNone;
  std::int64_t before = 0, now = 0;
};

/// What was found anew of one rule's raw scores.
struct RawChanges {
  bool any = false;            ///< A raw score is another one.
  std::vector<RawMove> moves;  ///< Of a rule with ReducesBy::kValues, where the request goes on.
};

/// One request's way from the last scores of a class to its own.
struct Engine::Following {
  const Request& request;
  const BoundPriorities& bound;
  KeptClass::Scores& known;
  MemoryBudget* call;             ///< The request's: what rules allocate is its.
  std::span<const NodeId> stale;  ///< Rows of the request's nodes whose raw scores were found anew.
  bool goes_on = false;           ///< The last request's answer is complete, and only `changes` are between.
  std::vector<LastNodes::Change> changes = {};  ///< Of the list of nodes.
  /// Rows that got another score; one may come several times. When they are many no more are noted.
  std::vector<NodeId> set_rows = {};
  bool all_set = false;  ///< Any row may have got another score.
  std::vector<std::int64_t> scratch = {};

  bool same_nodes() const { return goes_on && changes.empty(); }
  /// Whether a row was among the last request's nodes.
  bool was_asked(NodeId row) const {
    const auto change = std::ranges::find(changes, row, &LastNodes::Change::row);
    return change == changes.end() ? known.last.place_of(row) != kNone : !change->has_come;
  }

  /// Whether to look up the places of so many rows costs more than a look at all nodes.
  bool are_many(std::size_t rows) const { return rows > request.nodes.size() / 4; }

  /// Sets a rule's score of a row that is asked about, and moves the row's total.
  void set(std::size_t rule, std::int64_t weight, NodeId row, std::int64_t score) {
    set_each(rule, weight, {&row, 1}, [score](std::size_t) { return score; });
  }
  /// The same of several. @param score_of  of rows[i], by i.
  template <class ScoreOf>
  void set_each(std::size_t rule, std::int64_t weight, std::span<const NodeId> rows,
                const ScoreOf& score_of) {
    SharedVector<std::int64_t>& shared = known.scores[rule];
    const std::int64_t* before = shared.data();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::int64_t score = score_of(i);
      if (before[rows[i]] == score) [[likely]]
        continue;
      std::vector<std::int64_t>& scores = shared.edit();
      before = scores.data();
      move_total(rows[i], weight, wrap_subtract(score, std::exchange(scores[rows[i]], score)));
      note(rows[i]);
    }
  }
  /// The same of all rows that are of a group, in their order, where many have another score: neighbours are
  /// near each other in memory, and no branch is guessed wrong. Rows that are not asked about may get any
  /// score; they are set when they come. @param groups  by row; kNone: it is of none.
  void set_all_rows(std::size_t rule, std::int64_t weight, std::span<const std::uint32_t> groups,
                    std::span<const std::int64_t> score_of_group) {
    const std::span<std::int64_t> scores = known.scores[rule].edit(), totals = known.totals;
    const std::size_t rows = std::min(groups.size(), scores.size());
    for (std::size_t row = 0; row < rows; ++row) {
      if (groups[row] == kNone) continue;
      const std::int64_t score = score_of_group[groups[row]];
      const std::int64_t more = wrap_subtract(score, std::exchange(scores[row], score));
      totals[row] = wrap_add(totals[row], wrap_multiply(weight, more));
    }
    all_set = true;
  }

 private:
  void move_total(NodeId row, std::int64_t weight, std::int64_t more) {
    known.totals[row] = wrap_add(known.totals[row], wrap_multiply(weight, more));
  }
  void note(NodeId row) {
    if (!are_many(set_rows.size())) set_rows.push_back(row);
  }
};

}  // namespace winnow
