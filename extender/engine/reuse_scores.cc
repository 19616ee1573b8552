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
  MemoryBudget* call;             ///< The request's: what rules allocate is its.
  std::span<const NodeId> stale;  ///< Rows of the request's nodes whose raw scores were found anew.
  bool goes_on = false;           ///< The last request's answer is complete, and only `changes` are between.
  std::vector<LastNodes::Change> changes = {};  ///< Of the list of nodes.
  std::vector<NodeId> set_rows = {};            ///< Rows that got another score; one may come several times.
  std::vector<std::int64_t> scratch = {};

  bool same_nodes() const { return goes_on && changes.empty(); }
  /// Whether a row was among the last request's nodes.
  bool was_asked(NodeId row) const {
    const auto change = std::ranges::find(changes, row, &LastNodes::Change::row);
    return change == changes.end() ? known.last.place_of(row) != kNone : !change->has_come;
  }
};

namespace {

/// Sets a rule's scores by row, and moves the totals of those that had another one.
template <class Following>
class RowScores {
 public:
  RowScores(Following& following, std::size_t rule, std::int64_t weight)
      : scores_(following.known.scores[rule]),
        totals_(following.known.totals),
        set_rows_(following.set_rows),
        weight_(weight) {}

  void set(NodeId row, std::int64_t score) {
    if (scores_[row] == score) return;
    const std::int64_t more = wrap_subtract(score, std::exchange(scores_.edit()[row], score));
    totals_[row] = wrap_add(totals_[row], wrap_multiply(weight_, more));
    set_rows_.push_back(row);
  }

 private:
  SharedVector<std::int64_t>& scores_;
  std::vector<std::int64_t>& totals_;
  std::vector<NodeId>& set_rows_;
  const std::int64_t weight_;
};

/// Counts the nodes of each group. @return false: a node is of none.
bool count_members(const NodeGroups& groups, std::span<const NodeId> nodes,
                   std::vector<std::uint32_t>& members) {
  members.assign(groups.count, 0);
  for (const NodeId node : nodes) {
    if (node >= groups.of_row.size() || groups.of_row[node] == kNone) return false;
    ++members[groups.of_row[node]];
  }
  return true;
}

/// The same for the last request's nodes, which were counted: some are of another group now, and some have
/// come or gone.
template <class Following>
bool move_members(const NodeGroups& groups, const Following& following, std::vector<std::uint32_t>& members) {
  members.resize(groups.count, 0);
  for (const NodeGroups::Move& move : *groups.moves) {
    if (!following.was_asked(move.row)) continue;
    if (move.before == kNone) return false;
    --members[move.before];
    ++members[move.now];
  }
  for (const LastNodes::Change& change : following.changes) {
    if (change.row >= groups.of_row.size() || groups.of_row[change.row] == kNone) return false;
    members[groups.of_row[change.row]] += change.has_come ? 1 : -1;
  }
  return true;
}

}  // namespace

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
  RowScores row_scores(following, rule, rules_.priorities[rule].weight);
  for (std::size_t i = 0; i < nodes.size(); ++i) row_scores.set(nodes[i], scores[i]);
  return std::nullopt;
}

/// Sets the scores of a rule by its groups. Where the nodes are the same, and no group has another score,
/// this is the work of what has changed.
/// @return false: the rule has no groups, or nothing is won by them.
bool Engine::follow_groups(std::size_t rule, Following& following) const {
  const std::span<const NodeId> nodes = following.request.nodes;
  KeptClass::Groups& known = following.known.groups[rule];
  const bool goes_on = std::exchange(known.known, false) && following.goes_on;
  const std::optional<NodeGroups> groups = following.bound[rule]->groups();
  if (!groups || groups->count * NodeGroups::kFewestNodes > nodes.size()) return false;
  const bool only_moves = goes_on && groups->moves;
  if (!(only_moves ? move_members(*groups, following, known.members)
                   : count_members(*groups, nodes, known.members)))
    return false;

  std::vector<std::uint32_t> asked;
  for (std::uint32_t group = 0; group < groups->count; ++group)
    if (known.members[group] != 0) asked.push_back(group);
  following.scratch.assign(asked.size(), 0);
  {
    const MemoryScope of_call(following.call);
    following.bound[rule]->score_groups(asked, following.scratch);
  }
  if (out_of_range(rules_, rule, following.scratch)) return false;  // The error is of the first such node.
  std::vector<std::int64_t> before = std::exchange(known.scores, {});
  known.scores.assign(groups->count, KeptClass::Groups::kNoScore);
  for (std::size_t i = 0; i < asked.size(); ++i) known.scores[asked[i]] = following.scratch[i];
  known.known = true;
  following.known.last_raw[rule].clear();
  following.known.last_constant[rule].reset();

  RowScores scores(following, rule, rules_.priorities[rule].weight);
  const auto set_row = [&](NodeId row) {
    if (following.known.last.place_of(row) != kNone) scores.set(row, known.scores[groups->of_row[row]]);
  };
  if (only_moves) {
    for (const NodeGroups::Move& move : *groups->moves) set_row(move.row);
    for (const LastNodes::Change& change : following.changes) set_row(change.row);
  }
  before.resize(groups->count, KeptClass::Groups::kNoScore);
  const bool other = std::ranges::any_of(asked, [&](std::uint32_t group) {
    return before[group] != known.scores[group] && before[group] != KeptClass::Groups::kNoScore;
  });
  if (!only_moves || other)
    for (const NodeId node : nodes) scores.set(node, known.scores[groups->of_row[node]]);
  return true;
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
    if (following.same_nodes() && !raw_changed) return std::nullopt;
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
  const Speaking changed = map_anew(request, bound, known, stale, call);
  for (std::size_t rule = 0; rule < bound.size(); ++rule)
    if (bound[rule])
      if (auto error = follow_rule(rule, changed[rule], following)) return std::unexpected(*std::move(error));

  // Not before: a row is fresh when its scores are set, not only its raw scores.
  for (const NodeId row : stale) known.fresh.add(row);
  constexpr std::size_t kMany = 4;  // To look up the places of a fourth of the nodes costs as much as all.
  if (goes_on && following.set_rows.size() < n / kMany + 1) {
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
      if (known.raw[rule].empty())
        map_rule(*bound[rule], request, nodes, row);
      else
        for (std::size_t i = 0; i < n; ++i) row[i] = known.raw[rule][nodes[i]];
    }
  }
  for (const auto& priority : bound) result.skipped.push_back(!priority);
  result.scores = ScoreTable(known.scores, known.last.nodes());
  result.totals = known.last_totals;
  times.lap(Pass::kReduce);
  return result;
}

}  // namespace winnow
