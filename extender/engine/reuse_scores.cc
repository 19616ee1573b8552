// The engine's scores by what is kept of earlier ones. docs/reuse.md says why they are right.
//
// Raw scores, scores and totals are kept by row. A rule that reduces nothing changes the scores of the rows
// that have changed. One that does is reduced anew over the request's nodes, where a raw score or the list of
// nodes has changed. A row's total always is the weighted sum of its scores, so it moves by what they move.
#include <algorithm>
#include <utility>

#include "cluster/go_math.h"
#include "cluster/memory_budget.h"
#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/kept_rules.h"
#include "extender/engine/ruleset.h"
#include "extender/engine/workers.h"
#include "extender/reuse/kept_answers.h"

namespace winnow {

std::expected<Scored, ScoringError> Engine::score_reusing(const Request& request,
                                                          const BoundPriorities& bound, bool keep_raw,
                                                          PassTimes& times, KeptClass& kept) const {
  Speaking all(bound.size());
  for (std::size_t rule = 0; rule < bound.size(); ++rule) all[rule] = bound[rule] != nullptr;
  // Without priorities v1.16 gives every node EqualPriority's score, 1.
  const bool equal = bound.empty() && rules_.generation == Generation::kClassic;
  KeptClass::Scores& known =
      kept.scores(all, speaking_of(bound, kept_->reads().priorities), /*base=*/equal ? 1 : 0);
  auto scored = follow_scores(request, bound, kept, known, keep_raw, times);
  known.complete = scored.has_value();
  if (kept_->count_answer(Question::kScore)) check_scores(scored, request, keep_raw, kept);
  return scored;
}

/// As check_verdicts().
void Engine::check_scores(std::expected<Scored, ScoringError>& scored, const Request& request, bool keep_raw,
                          KeptClass& kept) const try {
  PassTimes unused;
  const auto bound = bind_priorities(request, nullptr);  // Without what rules keep.
  auto plain = bound ? score_plainly(request, *bound, keep_raw, unused)
                     : std::expected<Scored, ScoringError>(std::unexpected(bound.error()));
  const bool same = scored && plain ? scored->scores == plain->scores && scored->totals == plain->totals
                                    : !scored && !plain && scored.error().text == plain.error().text;
  kept_->count_check(same);
  if (same) return;
  kept.turn_off();
  scored = std::move(plain);
} catch (const OutOfTime&) {
} catch (const MemoryExceeded&) {
}

struct Engine::Following {
  const Request& request;
  const BoundPriorities& bound;
  KeptClass::Scores& known;
  MemoryBudget* call;                 ///< The request's: what rules allocate is its.
  std::span<const NodeId> stale;      ///< Rows of the request's nodes whose raw scores were found anew.
  bool same_nodes = false;            ///< As at the last request, whose answer is complete.
  std::vector<NodeId> set_rows = {};  ///< Rows that got another score; one may come several times.
  std::vector<std::int64_t> scratch = {};
};

/// Asks the rules whose raw scores are kept about these rows. @return the rules with another one.
Speaking Engine::map_anew(const Request& request, const BoundPriorities& bound, KeptClass::Scores& known,
                          std::span<const NodeId> stale, MemoryBudget* call) const {
  Speaking changed(bound.size());
  if (stale.empty()) return changed;
  kept_->count_redone(stale.size());
  std::vector<std::int64_t> anew;
  for (std::size_t rule = 0; rule < bound.size(); ++rule) {
    std::vector<std::int64_t>& raw = known.raw[rule];
    if (raw.empty()) continue;
    anew.assign(stale.size(), 0);
    {
      const MemoryScope of_call(call);
      workers_.for_each_chunk(stale.size(), kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
        map_rule(*bound[rule], request, stale.subspan(begin, end - begin),
                 std::span(anew).subspan(begin, end - begin));
      });
    }
    bool differs = false;
    for (std::size_t i = 0; i < stale.size(); ++i)
      differs |= std::exchange(raw[stale[i]], anew[i]) != anew[i];
    changed[rule] = differs;
  }
  return changed;
}

/// Brings the raw scores of a rule that does not read single nodes to the request's nodes, by place.
/// @return whether a score may be another one. Without a word of the rule it may if the rule reduces: equal
/// raw scores may be reduced to others.
bool Engine::map_others(std::size_t rule, Following& following) const {
  const Request& request = following.request;
  std::vector<std::int64_t>& raw = following.known.last_raw[rule];
  const std::optional<std::int64_t> constant = following.bound[rule]->constant();
  const bool same_constant = std::exchange(following.known.last_constant[rule], constant) == constant;
  if (constant && same_constant && following.same_nodes && !following.bound[rule]->has_reduce()) return false;
  const auto map = [&](std::span<const NodeId> nodes) {
    following.scratch.assign(nodes.size(), 0);
    const MemoryScope of_call(following.call);
    workers_.for_each_chunk(nodes.size(), kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
      map_rule(*following.bound[rule], request, nodes.subspan(begin, end - begin),
               std::span(following.scratch).subspan(begin, end - begin));
    });
  };
  const std::vector<NodeId>* const moved = following.bound[rule]->moved();
  if (!following.same_nodes || !moved) {
    map(request.nodes);
    const bool same =
        following.same_nodes && !following.bound[rule]->has_reduce() && raw == following.scratch;
    std::swap(raw, following.scratch);
    return !same;
  }
  const LastNodes& last = following.known.last;
  std::vector<NodeId> rows(following.stale.begin(), following.stale.end());
  std::ranges::copy_if(*moved, std::back_inserter(rows),
                       [&](NodeId row) { return last.place_of(row) != kNone; });
  map(rows);
  bool changed = false;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t now = following.scratch[i];
    changed |= std::exchange(raw[last.place_of(rows[i])], now) != now;
  }
  return changed;
}

/// Sets the rule's scores of these nodes, and moves the totals of those that had another one.
/// @return the error if one is out of range: then none is set.
std::optional<ScoringError> Engine::set(std::size_t rule, std::span<const NodeId> nodes,
                                        std::span<const std::int64_t> scores, Following& following) const {
  if (auto error = out_of_range(rules_, rule, scores)) return error;
  const std::int64_t weight = rules_.priorities[rule].weight;
  std::vector<std::int64_t>& totals = following.known.totals;
  std::vector<std::int64_t>& by_row = following.known.scores[rule].edit();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (by_row[nodes[i]] == scores[i]) continue;
    const std::int64_t more = wrap_subtract(scores[i], std::exchange(by_row[nodes[i]], scores[i]));
    totals[nodes[i]] = wrap_add(totals[nodes[i]], wrap_multiply(weight, more));
    following.set_rows.push_back(nodes[i]);
  }
  return std::nullopt;
}

/// Brings one rule's scores to the request's nodes. @param raw_changed  of a rule whose raw scores are kept
/// by row: some of the stale rows have another one.
std::optional<ScoringError> Engine::follow_rule(std::size_t rule, bool raw_changed,
                                                Following& following) const {
  const Priority& bound = *following.bound[rule];
  KeptClass::Scores& known = following.known;
  const std::span<const NodeId> nodes = following.request.nodes;
  const std::vector<std::int64_t>& by_row = known.raw[rule];
  std::vector<std::int64_t>& scratch = following.scratch;
  if (!by_row.empty() && !bound.has_reduce()) {
    scratch.resize(following.stale.size());
    for (std::size_t i = 0; i < scratch.size(); ++i) scratch[i] = by_row[following.stale[i]];
    return set(rule, following.stale, scratch, following);
  }
  if (by_row.empty()) {
    if (!map_others(rule, following)) return std::nullopt;
    scratch = known.last_raw[rule];
  } else {
    if (following.same_nodes && !raw_changed) return std::nullopt;
    scratch.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) scratch[i] = by_row[nodes[i]];
  }
  {
    const MemoryScope of_call(following.call);
    bound.reduce(nodes, scratch);
  }
  return set(rule, nodes, scratch, following);
}

/// Brings the scores to the request's nodes.
std::expected<Scored, ScoringError> Engine::follow_scores(const Request& request,
                                                          const BoundPriorities& bound, const KeptClass& of,
                                                          KeptClass::Scores& known, bool keep_raw,
                                                          PassTimes& times) const {
  MemoryBudget* const call = MemoryScope::current();
  const MemoryScope kept(nullptr);  // It outlives the request, and has a bound of its own.
  const std::span<const NodeId> nodes = request.nodes;
  const std::size_t n = nodes.size();
  std::optional<std::vector<NodeId>> dropped = known.fresh.take_dropped();
  const bool same_nodes = dropped && known.was_complete && known.last.are(nodes);
  if (same_nodes)
    known.last.find_places(request.view.capacity());
  else
    known.last.set(of.list_of(nodes));
  const std::vector<NodeId> stale = stale_rows(known, nodes, same_nodes ? &*dropped : nullptr);
  Following following{.request = request,
                      .bound = bound,
                      .known = known,
                      .call = call,
                      .stale = stale,
                      .same_nodes = same_nodes};
  const Speaking changed = map_anew(request, bound, known, stale, call);
  for (std::size_t rule = 0; rule < bound.size(); ++rule)
    if (bound[rule])
      if (auto error = follow_rule(rule, changed[rule], following)) return std::unexpected(*std::move(error));

  // Not before: a row is fresh when its scores are set, not only its raw scores.
  for (const NodeId row : stale) known.fresh.add(row);
  constexpr std::size_t kMany = 4;  // To look up the places of a fourth of the nodes costs as much as all.
  if (same_nodes && following.set_rows.size() < n / kMany + 1) {
    for (const NodeId row : following.set_rows)
      known.last_totals.edit()[known.last.place_of(row)] = known.totals[row];
  } else {
    std::vector<std::int64_t> totals(n);
    for (std::size_t i = 0; i < n; ++i) totals[i] = known.totals[nodes[i]];
    known.last_totals = std::move(totals);
  }
  times.lap(Pass::kMap);
  const MemoryScope of_call(call);
  Scored result;
  if (keep_raw) {
    result.raw.assign(n * bound.size(), 0);
    for (std::size_t rule = 0; rule < bound.size(); ++rule)
      for (std::size_t i = 0; bound[rule] && i < n; ++i)
        result.raw[rule * n + i] =
            known.raw[rule].empty() ? known.last_raw[rule][i] : known.raw[rule][nodes[i]];
  }
  for (const auto& priority : bound) result.skipped.push_back(!priority);
  result.scores = ScoreTable(known.scores, known.last.nodes());
  result.totals = known.last_totals;
  times.lap(Pass::kReduce);
  return result;
}

}  // namespace winnow
