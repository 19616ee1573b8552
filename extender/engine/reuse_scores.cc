// The engine's scores by what is kept of earlier ones. docs/reuse.md says why they are right.
//
// Raw scores, scores and totals are kept by row. A rule that reduces nothing, or each raw score by itself,
// changes the scores of the rows that have changed. One with groups of nodes scores these, and sets the
// scores of those groups that have another one (reuse_groups.cc). Any other is reduced anew over the
// request's nodes, where a raw score or the list of nodes has changed. A row's total always is the weighted
// sum of its scores, so it moves by what they move.
#include <algorithm>
#include <utility>

#include "cluster/go_math.h"
#include "cluster/memory_budget.h"
#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/following.h"
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

/// Asks the rules whose raw scores are kept about these rows. @return what has changed, by rule.
/// @param goes_on  see Following.
std::vector<RawChanges> Engine::map_anew(const Request& request, const BoundPriorities& bound,
                                         KeptClass::Scores& known, std::span<const NodeId> stale,
                                         bool goes_on, MemoryBudget* call) const {
  std::vector<RawChanges> changes(bound.size());
  if (stale.empty()) return changes;
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
    const bool notes_moves = goes_on && bound[rule]->reduces_by() == ReducesBy::kValues;
    RawChanges& changed = changes[rule];
    for (std::size_t i = 0; i < stale.size(); ++i) {
      const std::int64_t before = std::exchange(raw[stale[i]], anew[i]);
      changed.any |= before != anew[i];
      if (notes_moves && before != anew[i]) changed.moves.push_back({stale[i], before, anew[i]});
    }
  }
  return changes;
}

/// Brings the raw scores of a rule that does not read single nodes to the request's nodes, by place.
/// @return whether a score may be another one. Without a word of the rule it may if the rule reduces: equal
/// raw scores may be reduced to others.
bool Engine::map_others(std::size_t rule, Following& following) const {
  const Request& request = following.request;
  std::vector<std::int64_t>& raw = following.known.last_raw[rule];
  const auto map = [&](std::span<const NodeId> nodes) {
    following.scratch.assign(nodes.size(), 0);
    const MemoryScope of_call(following.call);
    workers_.for_each_chunk(nodes.size(), kNodesPerChunk, [&](std::size_t begin, std::size_t end) {
      map_rule(*following.bound[rule], request, nodes.subspan(begin, end - begin),
               std::span(following.scratch).subspan(begin, end - begin));
    });
  };
  const std::vector<NodeId>* const moved = following.bound[rule]->moved();
  if (!following.same_nodes() || !moved || raw.size() != request.nodes.size()) {
    map(request.nodes);
    const bool same =
        following.same_nodes() && !following.bound[rule]->has_reduce() && raw == following.scratch;
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
  following.set_each(rule, weight, nodes, [&](std::size_t i) { return scores[i]; });
  return std::nullopt;
}

/// Brings one rule's scores to the request's nodes.
/// @param changed  of the raw scores, if they are kept by row.
std::optional<ScoringError> Engine::follow_rule(std::size_t rule, const RawChanges& changed,
                                                Following& following) const {
  const Priority& bound = *following.bound[rule];
  KeptClass::Scores& known = following.known;
  const std::span<const NodeId> nodes = following.request.nodes;
  const std::vector<std::int64_t>& by_row = known.raw[rule];
  std::vector<std::int64_t>& scratch = following.scratch;
  if (!by_row.empty() && (!bound.has_reduce() || bound.reduces_by() == ReducesBy::kOwnValue)) {
    scratch.resize(following.stale.size());
    for (std::size_t i = 0; i < scratch.size(); ++i) scratch[i] = by_row[following.stale[i]];
    {
      const MemoryScope of_call(following.call);
      bound.reduce(following.stale, scratch);
    }
    return set(rule, following.stale, scratch, following);
  }
  if (by_row.empty()) {
    const std::optional<std::int64_t> constant = bound.constant();
    const bool same_constant = std::exchange(known.last_constant[rule], constant) == constant;
    if (constant && same_constant && following.goes_on && !bound.has_reduce()) {
      std::vector<NodeId> come;
      for (const LastNodes::Change& change : following.changes)
        if (change.has_come) come.push_back(change.row);
      scratch.assign(come.size(), *constant);
      return set(rule, come, scratch, following);
    }
    if (follow_groups(rule, following) || !map_others(rule, following)) return std::nullopt;
    scratch = known.last_raw[rule];
  } else {
    if (following.same_nodes() && !changed.any) return std::nullopt;
    if (follow_values(rule, changed.moves, following)) return std::nullopt;
    scratch.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) scratch[i] = by_row[nodes[i]];
  }
  {
    const MemoryScope of_call(following.call);
    bound.reduce(nodes, scratch);
  }
  return set(rule, nodes, scratch, following);
}

namespace {

/// Makes the request's list of nodes the last one.
/// @param may_go_on  the last answer is complete, and it is known which rows are stale.
/// @return what has changed in the list; nothing: too much.
std::optional<std::vector<LastNodes::Change>> follow_nodes(const KeptClass& of, KeptClass::Scores& known,
                                                           const Request& request, bool may_go_on) {
  std::optional<std::vector<LastNodes::Change>> changes;
  if (may_go_on && known.last.are(request.nodes))
    changes.emplace();
  else if (may_go_on)
    changes = known.last.changes_to(request.nodes);
  if (!changes) {
    known.last.set(of.list_of(request.nodes));
    return changes;
  }
  known.last.find_places(request.view.capacity());
  if (changes->empty()) return changes;
  known.last.change(of.list_of(request.nodes), *changes);
  for (std::vector<std::int64_t>& raw : known.last_raw) raw.clear();
  return changes;
}

/// Changes the last totals where the list of nodes or a node's total is another one.
template <class Following>
void follow_totals(Following& following) {
  KeptClass::Scores& known = following.known;
  for (const LastNodes::Change& change : following.changes) {
    if (change.has_come)
      known.last_totals.insert(change.place, known.totals[change.row]);
    else
      known.last_totals.erase(change.place);
  }
  for (const NodeId row : following.set_rows)
    known.last_totals.set(known.last.place_of(row), known.totals[row]);
}

}  // namespace

/// Brings the scores to the request's nodes.
std::expected<Scored, ScoringError> Engine::follow_scores(const Request& request,
                                                          const BoundPriorities& bound, const KeptClass& of,
                                                          KeptClass::Scores& known, bool keep_raw,
                                                          PassTimes& times) const {
  MemoryBudget* const call = MemoryScope::current();
  const MemoryScope kept(nullptr);  // It outlives the request, and has a bound of its own.
  const std::span<const NodeId> nodes = request.nodes;
  const std::size_t n = nodes.size();
  const std::optional<std::vector<NodeId>> dropped = known.fresh.take_dropped();
  auto changes = follow_nodes(of, known, request, /*may_go_on=*/dropped && known.was_complete);
  const bool goes_on = changes.has_value();
  if (goes_on && !changes->empty()) kept_->count_list_gone_on();
  std::vector<NodeId> stale = stale_rows(known, nodes, goes_on ? &*dropped : nullptr);
  if (goes_on)
    for (const LastNodes::Change& change : *changes)
      if (change.has_come && !known.fresh.has(change.row) && !std::ranges::contains(stale, change.row))
        stale.push_back(change.row);
  Following following{.request = request,
                      .bound = bound,
                      .known = known,
                      .call = call,
                      .stale = stale,
                      .goes_on = goes_on,
                      .changes = std::move(changes).value_or(std::vector<LastNodes::Change>())};
  const std::vector<RawChanges> changed = map_anew(request, bound, known, stale, goes_on, call);
  for (std::size_t rule = 0; rule < bound.size(); ++rule)
    if (bound[rule])
      if (auto error = follow_rule(rule, changed[rule], following)) return std::unexpected(*std::move(error));

  // Not before: a row is fresh when its scores are set, not only its raw scores.
  for (const NodeId row : stale) known.fresh.add(row);
  constexpr std::size_t kFew = 2;  // To move all totals for each of more costs as much as to look at all.
  if (goes_on && !following.all_set && following.changes.size() <= kFew &&
      !following.are_many(following.set_rows.size())) {
    follow_totals(following);
  } else {
    std::vector<std::int64_t> totals(n);
    for (std::size_t i = 0; i < n; ++i) totals[i] = known.totals[nodes[i]];
    known.last_totals = std::move(totals);
    known.last_totals.keep_highest();
  }
  times.lap(Pass::kMap);
  const MemoryScope of_call(call);
  Scored result;
  if (keep_raw) {
    result.raw.assign(n * bound.size(), 0);
    for (std::size_t rule = 0; rule < bound.size(); ++rule) {
      if (!bound[rule]) continue;
      const auto row = std::span(result.raw).subspan(rule * n, n);
      if (!known.raw[rule].empty())
        for (std::size_t i = 0; i < n; ++i) row[i] = known.raw[rule][nodes[i]];
      else if (known.last_raw[rule].size() == n)
        std::ranges::copy(known.last_raw[rule], row.begin());
      else
        map_rule(*bound[rule], request, nodes, row);
    }
  }
  for (const auto& priority : bound) result.skipped.push_back(!priority);
  result.scores = ScoreTable(known.scores, known.last.nodes());
  result.totals = known.last_totals;
  times.lap(Pass::kReduce);
  return result;
}

}  // namespace winnow
