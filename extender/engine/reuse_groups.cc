// Scores of groups of nodes. A rule may have groups (Priority::groups()). Where reduce() goes by values
// (ReducesBy::kValues), the nodes with one raw score are a group.
#include <algorithm>
#include <optional>
#include <utility>

#include "cluster/memory_budget.h"
#include "extender/engine/engine.h"
#include "extender/engine/following.h"
#include "extender/engine/ruleset.h"
#include "extender/reuse/kept_answers.h"

namespace winnow {
namespace {

/// Groups of more values than these are not kept: to find a value among them takes too long.
constexpr std::size_t kMostValues = 16;

/// Counts a node that is of a group now, or no longer.
void count(std::uint32_t& members, bool is_member) { is_member ? ++members : --members; }

/// The groups of a rule that has some.
class RuleGroups {
 public:
  explicit RuleGroups(const NodeGroups& groups) : groups_(groups) {}

  std::size_t size() const { return groups_.count; }
  /// Requires a row that is_known().
  std::uint32_t of(NodeId row) const { return groups_.of_row[row]; }
  bool is_known(NodeId row) const { return row < groups_.of_row.size() && of(row) != kNone; }
  /// Whether `moves` has all that were of another group at the last request.
  bool has_moves() const { return groups_.moves; }
  const std::vector<NodeGroups::Move>& moves() const { return *groups_.moves; }

 private:
  const NodeGroups groups_;
};

/// Counts the nodes of each group. @return false: a node is of none.
bool count_members(const RuleGroups& groups, std::span<const NodeId> nodes,
                   std::vector<std::uint32_t>& members) {
  members.assign(groups.size(), 0);
  for (const NodeId node : nodes) {
    if (!groups.is_known(node)) return false;
    ++members[groups.of(node)];
  }
  return true;
}

/// The same for the last request's nodes, which were counted: some are of another group now, and some have
/// come or gone.
template <class Following>
bool move_members(const RuleGroups& groups, const Following& following, std::vector<std::uint32_t>& members) {
  members.resize(groups.size(), 0);
  for (const NodeGroups::Move& move : groups.moves()) {
    if (!following.was_asked(move.row)) continue;
    if (move.before == kNone) return false;
    count(members[move.before], false);
    count(members[move.now], true);
  }
  for (const LastNodes::Change& change : following.changes) {
    if (!groups.is_known(change.row)) return false;
    count(members[groups.of(change.row)], change.has_come);
  }
  return true;
}

/// The number of a value's group. @return the number of values: it has none.
std::size_t find_value(const KeptClass::Groups& known, std::int64_t value) {
  return static_cast<std::size_t>(std::ranges::find(known.values, value) - known.values.begin());
}

/// The same; it gets a group if it has none. @return nothing: there are too many.
std::optional<std::size_t> group_of_value(KeptClass::Groups& known, std::int64_t value) {
  const std::size_t number = find_value(known, value);
  if (number != known.values.size()) return number;
  // One that no node has any more makes room.
  const auto free = std::ranges::find(known.members, std::uint32_t{0});
  if (free != known.members.end()) {
    const auto place = static_cast<std::size_t>(free - known.members.begin());
    known.values[place] = value;
    known.scores[place].reset();
    return place;
  }
  if (number == kMostValues) return std::nullopt;
  known.values.push_back(value);
  known.members.push_back(0);
  known.scores.emplace_back();
  return number;
}

/// @return false: there are too many values.
bool count_value(KeptClass::Groups& known, std::int64_t value, bool is_member) {
  const auto group = is_member ? group_of_value(known, value) : find_value(known, value);
  if (!group || *group == known.values.size()) return false;
  count(known.members[*group], is_member);
  return true;
}

/// Counts the nodes with each raw score. @return false: there are too many of these.
bool count_values(std::span<const std::int64_t> raw, std::span<const NodeId> nodes,
                  KeptClass::Groups& known) {
  known.values.clear();
  known.members.clear();
  known.scores.clear();
  return std::ranges::all_of(nodes, [&](NodeId node) { return count_value(known, raw[node], true); });
}

/// As move_members(). Nodes leave their groups first, so that a value without nodes makes room.
template <class Following>
bool move_values(std::span<const std::int64_t> raw, std::span<const RawMove> moves,
                 const Following& following, KeptClass::Groups& known) {
  for (const bool is_member : {false, true}) {
    for (const RawMove& move : moves)
      if (following.was_asked(move.row) && !count_value(known, is_member ? move.now : move.before, is_member))
        return false;
    for (const LastNodes::Change& change : following.changes)
      if (change.has_come == is_member && !count_value(known, raw[change.row], is_member)) return false;
  }
  return true;
}

/// The groups that have members, and their scores before.
struct Asked {
  std::vector<std::uint32_t> groups;
  std::vector<std::optional<std::int64_t>> before;

  explicit Asked(const KeptClass::Groups& known) {
    for (std::uint32_t group = 0; group < known.members.size(); ++group)
      if (known.members[group] != 0) groups.push_back(group);
    before = known.scores;
    before.resize(known.members.size());
  }
  /// Takes the scores of the groups. @return whether one that had a score has another one.
  bool take(std::span<const std::int64_t> scores, KeptClass::Groups& known) const {
    bool other = false;
    known.scores.assign(known.members.size(), std::nullopt);
    for (std::size_t i = 0; i < groups.size(); ++i) {
      other |= before[groups[i]] && before[groups[i]] != scores[i];
      known.scores[groups[i]] = scores[i];
    }
    return other;
  }
};

}  // namespace

bool Engine::follow_groups(std::size_t rule, Following& following) const {
  const std::span<const NodeId> nodes = following.request.nodes;
  KeptClass::Groups& known = following.known.groups[rule];
  const bool goes_on = std::exchange(known.known, false) && following.goes_on;
  const std::optional<NodeGroups> given = following.bound[rule]->groups();
  if (!given || given->count * NodeGroups::kFewestNodes > nodes.size()) return false;
  const RuleGroups groups(*given);
  const bool only_moves = goes_on && groups.has_moves();
  if (!(only_moves ? move_members(groups, following, known.members)
                   : count_members(groups, nodes, known.members)))
    return false;

  const Asked asked(known);
  following.scratch.assign(asked.groups.size(), 0);
  {
    const MemoryScope of_call(following.call);
    following.bound[rule]->score_groups(asked.groups, following.scratch);
  }
  following.request.check_time();
  if (out_of_range(rules_, rule, following.scratch)) return false;  // The error is of the first such node.
  const bool other = asked.take(following.scratch, known);
  known.known = true;
  following.known.last_raw[rule].clear();
  following.known.last_constant[rule].reset();
  kept_->count_grouped();

  const std::int64_t weight = rules_.priorities[rule].weight;
  if (!only_moves || other) {
    std::vector<std::int64_t> scores;  // By group; 0 where it has no members.
    for (const std::optional<std::int64_t>& score : known.scores) scores.push_back(score.value_or(0));
    if (nodes.size() >= given->of_row.size() / 4)
      following.set_all_rows(rule, weight, given->of_row, scores);
    else
      following.set_each(rule, weight, nodes, [&](std::size_t i) { return scores[groups.of(nodes[i])]; });
    return true;
  }
  const auto set_row = [&](NodeId row) {
    if (following.known.last.place_of(row) != kNone)
      following.set(rule, weight, row, *known.scores[groups.of(row)]);
  };
  for (const NodeGroups::Move& move : groups.moves()) set_row(move.row);
  for (const LastNodes::Change& change : following.changes) set_row(change.row);
  return true;
}

bool Engine::follow_values(std::size_t rule, std::span<const RawMove> moves, Following& following) const {
  const std::span<const NodeId> nodes = following.request.nodes;
  KeptClass::Groups& known = following.known.groups[rule];
  const bool was_known = std::exchange(known.known, false);
  const Priority& bound = *following.bound[rule];
  // To count values pays where the next request goes on, too. Lists that are others each time do not.
  if (bound.reduces_by() != ReducesBy::kValues || !following.goes_on) return false;
  const std::vector<std::int64_t>& raw = following.known.raw[rule];
  if (!(was_known ? move_values(raw, moves, following, known) : count_values(raw, nodes, known)))
    return false;

  const Asked asked(known);
  following.scratch.clear();
  for (const std::uint32_t group : asked.groups) following.scratch.push_back(known.values[group]);
  {
    const MemoryScope of_call(following.call);
    bound.reduce(nodes.first(asked.groups.size()), following.scratch);
  }
  if (out_of_range(rules_, rule, following.scratch)) return false;
  const bool other = asked.take(following.scratch, known);
  known.known = true;
  kept_->count_grouped_by_value();

  const std::int64_t weight = rules_.priorities[rule].weight;
  const auto score_of = [&](NodeId row) { return *known.scores[find_value(known, raw[row])]; };
  if (!was_known || other) {
    following.set_each(rule, weight, nodes, [&](std::size_t i) { return score_of(nodes[i]); });
    return true;
  }
  for (const NodeId row : following.stale) following.set(rule, weight, row, score_of(row));
  for (const LastNodes::Change& change : following.changes)
    if (change.has_come) following.set(rule, weight, change.row, score_of(change.row));
  return true;
}

}  // namespace winnow
