#include "extender/what_if/compare/comparison.h"

#include <algorithm>
#include <map>
#include <utility>

#include "cluster/api/meta.h"
#include "cluster/go_math.h"
#include "cluster/state/view.h"
#include "extender/engine/engines.h"
#include "extender/explain/decisions_text.h"

namespace winnow {
namespace {

/// The node's place among those that were scored.
std::optional<std::size_t> place_of(const Asked& asked, const std::string& node) {
  const SharedVector<NodeId>& nodes = asked.choice.best.nodes;
  const auto found = std::ranges::find(nodes, asked.view.find_node(node));
  if (found == nodes.end() || asked.choice.best.totals.empty()) return std::nullopt;
  return static_cast<std::size_t>(found - nodes.begin());
}

/// What each rule gives `more` above `less`; rules that score nothing are left out.
struct Advantage {
  std::string rule;
  std::int64_t by = 0, weight = 0;
};
std::vector<Advantage> advantages(const Asked& asked, const std::string& more, const std::string& less) {
  std::vector<Advantage> all;
  if (!place_of(asked, more) || !place_of(asked, less)) return all;
  const auto& rules = asked.choice.engine->rules().priorities;
  for (std::size_t rule = 0; rule < rules.size(); ++rule)
    if (rules[rule].scores)
      all.push_back({rules[rule].name,
                     wrap_subtract(*weighted_score(asked, rule, more), *weighted_score(asked, rule, less)),
                     rules[rule].weight});
  return all;
}

std::int64_t sum_of(const std::vector<Advantage>& advantages) {
  std::int64_t sum = 0;
  for (const Advantage& one : advantages) sum = wrap_add(sum, one.by);
  return sum;
}

/// The rules of both sides, A's first; one that a side does not have gives nothing there.
std::vector<ScoreChange> changes_between(const std::vector<Advantage>& a, const std::vector<Advantage>& b) {
  std::vector<ScoreChange> changes;
  for (const Advantage& one : a) {
    ScoreChange& change = changes.emplace_back(one.rule, wrap_subtract(0, one.by));
    change.weight[kA] = one.weight;
  }
  for (const Advantage& one : b) {
    auto known = std::ranges::find(changes, one.rule, &ScoreChange::rule);
    if (known == changes.end()) known = changes.emplace(changes.end(), one.rule);
    known->by = wrap_add(known->by, one.by);
    known->weight[kB] = one.weight;
  }
  return changes;
}

/// The changes that the shares name, in the order of the shares.
std::vector<ScoreChange> of_shares(const std::vector<ScoreChange>& changes,
                                   const std::vector<RuleShare>& shares) {
  std::vector<ScoreChange> named;
  for (const RuleShare& share : shares) named.push_back(changes[share.rule]);
  return named;
}

std::vector<ScoreChange> turning_changes(const Asked& a, const Asked& b, const TieRule& ties) {
  const std::string from = a.node(), to = b.node();
  const std::vector<Advantage> before = advantages(a, to, from), after = advantages(b, to, from);
  const std::vector<ScoreChange> changes = changes_between(before, after);
  std::vector<std::int64_t> by;
  for (const ScoreChange& change : changes) by.push_back(change.by);
  // A tie is enough where the tie rule takes B's node. What a draw would take is not known; that B has drawn
  // its node is.
  const bool tie_suffices =
      to == ties.stays || (from != ties.stays && (ties.drawn ? sum_of(after) == 0 : to < from));
  return of_shares(changes, turning_rules(wrap_subtract(0, sum_of(before)), by, tie_suffices));
}

}  // namespace

std::optional<std::int64_t> weighted_score(const Asked& asked, std::size_t rule, const std::string& node) {
  const auto place = place_of(asked, node);
  if (!place) return std::nullopt;
  const BestNode& best = asked.choice.best;
  return wrap_multiply(asked.choice.engine->rules().priorities[rule].weight, best.scores(rule, *place));
}

std::vector<RuleRefusal> refusals_of(const Engine* engine, const View& view, const Pod& pod,
                                     const std::string& node) {
  if (!engine) return {{"", no_profile_error(pod)}};
  if (engine->rules().generation == Generation::kClassic)
    if (auto error = basic_checks(pod, view)) return {{"", std::move(*error)}};
  const std::vector<NodeId> nodes{view.find_node(node)};
  const Request request{.pod = pod, .view = view, .nodes = nodes, .accounting = engine->rules().accounting};
  PassTimes unused;
  const Filtered filtered = engine->filter(request, /*all_rules=*/true, unused);
  std::vector<RuleRefusal> refusals;
  for (std::size_t rule = 0; rule < engine->rules().predicates.size(); ++rule) {
    if (filtered.matrix[rule].fits()) continue;
    std::string text;
    for (const std::string_view reason : filtered.reasons(rule, filtered.matrix[rule]))
      text.append(text.empty() ? "" : ", ").append(reason);
    refusals.push_back({engine->rules().predicates[rule].name, std::move(text)});
  }
  return refusals;
}

ChoiceDifference turn_between(const Pod& pod, const Asked& a, const Asked& b, const TieRule& ties) {
  ChoiceDifference turn;
  const Asked* const asked[] = {&a, &b};
  for (const std::size_t side : {kA, kB}) {
    const Asked& one = *asked[side];
    const Asked& other = *asked[1 - side];
    if (!other.node().empty())
      turn.refuses[side] = refusals_of(one.choice.engine, one.view, pod, other.node());
    // What fails the call may be said of another node, or by a priority.
    if (turn.refuses[side].empty() && one.node().empty()) turn.refuses[side] = {{"", one.choice.why}};
  }
  if (!turn.refuses[kA].empty() || !turn.refuses[kB].empty()) {
    turn.kind = TurnKind::kRefused;
  } else if (a.choice.nominated || b.choice.nominated) {
    turn.kind = TurnKind::kNominated;
  } else {
    turn.changes = turning_changes(a, b, ties);
    turn.kind = turn.changes.empty() ? TurnKind::kDraw : TurnKind::kScores;
  }
  return turn;
}

ChoiceDifference turn_from(const Pod& pod, const std::string& now, const Asked& there) {
  ChoiceDifference turn{.kind = TurnKind::kRefused};
  turn.refuses[kB] = refusals_of(there.choice.engine, there.view, pod, now);
  if (turn.refuses[kB].empty() && there.node().empty()) turn.refuses[kB] = {{"", there.choice.why}};
  if (!turn.refuses[kB].empty()) return turn;
  turn.kind = TurnKind::kScores;
  // Against a side without rules: it has no lead, and the newcomer must have more.
  const std::vector<ScoreChange> changes = changes_between({}, advantages(there, there.node(), now));
  std::vector<std::int64_t> winner;
  for (const ScoreChange& change : changes) winner.push_back(change.by);
  turn.changes = of_shares(changes, deciding_rules(winner, std::vector<std::int64_t>(winner.size(), 0)));
  return turn;
}

namespace {

/// The side's rules that score, added to the rows.
void add_scores(std::vector<ScoreRow>& rows, std::size_t side, const Asked& asked,
                const std::vector<std::string>& nodes) {
  if (!asked.choice.engine) return;
  const auto& rules = asked.choice.engine->rules().priorities;
  for (std::size_t rule = 0; rule < rules.size(); ++rule) {
    if (!rules[rule].scores) continue;
    auto row = std::ranges::find(rows, rules[rule].name, &ScoreRow::rule);
    if (row == rows.end()) row = rows.emplace(rows.end(), rules[rule].name);
    row->weight[side] = rules[rule].weight;
    for (std::size_t node = 0; node < nodes.size(); ++node)
      row->scores[side][node] = weighted_score(asked, rule, nodes[node]);
  }
}

std::optional<std::int64_t> total_of(const Asked& asked, const std::string& node) {
  const BestNode& best = asked.choice.best;
  const auto found = std::ranges::find(best.nodes, asked.view.find_node(node));
  if (found == best.nodes.end() || best.totals.empty()) return std::nullopt;
  return best.totals[static_cast<std::size_t>(found - best.nodes.begin())];
}

}  // namespace

PodDetail detail_of(const Pod& pod, const Asked& a, const Asked& b, std::vector<std::string> nodes) {
  PodDetail detail;
  detail.pod = key_of(pod.metadata);
  std::erase(nodes, "");
  if (nodes.size() == 2 && nodes.front() == nodes.back()) nodes.pop_back();
  if (nodes.size() == 1 && nodes.front() == a.node())
    if (const auto second = a.choice.best.runner_up())
      nodes.emplace_back(a.view.node_name(a.choice.best.nodes[*second]));
  detail.nodes = std::move(nodes);
  detail.said.resize(detail.nodes.size());
  const Asked* const asked[] = {&a, &b};
  for (const std::size_t side : {kA, kB}) {
    const Asked& one = *asked[side];
    detail.chosen[side] = one.node();
    if (one.node().empty()) detail.why[side] = one.choice.why;
    for (std::size_t node = 0; node < detail.nodes.size(); ++node) {
      NodeSaid& said = detail.said[node][side];
      said.refusals = refusals_of(one.choice.engine, one.view, pod, detail.nodes[node]);
      said.total = total_of(one, detail.nodes[node]);
    }
    add_scores(detail.scores, side, one, detail.nodes);
  }
  return detail;
}

namespace {

double share_of(std::int64_t part, std::int64_t all) {
  return all <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

std::size_t Comparison::count_differing() const {
  return static_cast<std::size_t>(std::ranges::count_if(pods, &ComparedPod::differs));
}

std::size_t Comparison::count_known() const {
  return static_cast<std::size_t>(std::ranges::count_if(pods, &ComparedPod::is_known));
}

std::size_t Comparison::count_differing_by_workload() const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> more;  // Under A, by workload and node.
  for (const ComparedPod& pod : pods) {
    if (!pod.differs()) continue;
    ++more[{pod.workload, pod.node[kA]}];
    --more[{pod.workload, pod.node[kB]}];
  }
  std::int64_t sum = 0;
  for (const auto& [place, by] : more) sum += std::max<std::int64_t>(by, 0);
  return static_cast<std::size_t>(sum);
}

std::size_t Comparison::nowhere_under_both() const {
  return static_cast<std::size_t>(std::ranges::count_if(pods, [](const ComparedPod& pod) {
    return pod.end[kA] == PodEnd::kNowhere && pod.end[kB] == PodEnd::kNowhere;
  }));
}

std::size_t Comparison::nowhere_only(std::size_t side) const {
  return static_cast<std::size_t>(std::ranges::count_if(pods, [&](const ComparedPod& pod) {
    return pod.end[side] == PodEnd::kNowhere && pod.end[1 - side] == PodEnd::kPlaced;
  }));
}

Utilization utilization(const std::vector<NodeFill>& nodes, std::optional<Amounts> NodeFill::* amounts) {
  Utilization found;
  Amounts held, offered;
  for (const NodeFill& node : nodes) {
    if (!(node.*amounts)) continue;
    const Amounts& here = *(node.*amounts);
    held += here;
    offered += node.allocatable;
    found.nodes_used += here.pods > 0 ? 1 : 0;
    found.highest_cpu = std::max(found.highest_cpu, share_of(here.cpu, node.allocatable.cpu));
    found.highest_memory = std::max(found.highest_memory, share_of(here.memory, node.allocatable.memory));
  }
  found.cpu = share_of(held.cpu, offered.cpu);
  found.memory = share_of(held.memory, offered.memory);
  return found;
}

}  // namespace winnow
