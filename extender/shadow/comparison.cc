#include "extender/shadow/comparison.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "extender/calls/decision_records.h"
#include "extender/calls/judge.h"
#include "extender/calls/pod_key.h"
#include "extender/decisions/best_nodes.h"
#include "extender/decisions/refusal_counts.h"

namespace winnow {
namespace {

class Comparison {
 public:
  Comparison(const SchedulerDecision& told, const Judgement& by, DecisionRecord& record)
      : told_(told), by_(by), record_(record) {}

  Compared make() {
    if (auto compared = at_nominated()) return *std::move(compared);
    return at_all();
  }

 private:
  Request request(std::span<const NodeId> nodes) const {
    return {.pod = told_.pod,
            .view = by_.view,
            .nodes = nodes,
            .accounting = by_.view.state().options().accounting,
            .budget = &by_.budget};
  }
  bool is_bound() const { return !told_.node.empty(); }

  std::optional<Compared> at_nominated();
  Compared at_all();
  Compared against(const Request& all, const BestNode& best);
  Compared refused_there(DecisionResult result);

  const SchedulerDecision& told_;
  const Judgement& by_;
  DecisionRecord& record_;
  PassTimes unused_;
};

/// Nothing: the pod has no nominated node, or does not fit there.
std::optional<Compared> Comparison::at_nominated() {
  const std::string& nominated = told_.pod.status.nominated_node_name;
  if (nominated.empty() || by_.engine.rules().generation != Generation::kToday) return std::nullopt;
  const NodeId node = by_.view.find_node(nominated);
  if (node == kNone) return std::nullopt;
  const Request there = request({&node, 1});
  RefusalCounts none;
  const Judged judged = judge(there, by_.engine, unused_);
  if (!judged.fits()) return std::nullopt;
  add_judged(record_, {.request = there, .judged = judged, .refusals = none});
  add_only(record_, nominated, /*given=*/true);
  record_.nominated = true;
  if (!is_bound()) return Compared{DecisionResult::kRefused, told_.said};
  if (nominated == told_.node) return Compared{DecisionResult::kSame, ""};
  return refused_there(DecisionResult::kOther);
}

Compared Comparison::at_all() {
  const std::vector<NodeId> nodes = by_.view.all_nodes();
  const Request all = request(nodes);
  RefusalCounts refusals;
  const Judged judged = judge(all, by_.engine, unused_, &refusals);
  add_judged(record_, {.request = all, .judged = judged, .refusals = refusals});
  if (judged.error) return {};
  if (!judged.fits())
    return is_bound() ? refused_there(DecisionResult::kNowhere) : Compared{DecisionResult::kSame, told_.said};
  const auto best = pick_best(all, judged.filtered, by_.engine, by_.picker, pod_key_of(told_.pod), unused_);
  if (!best) {
    record_.error = best.error();
    return {};
  }
  add_best(record_, all, *best, by_.engine, /*given=*/true);
  return is_bound() ? against(all, *best) : Compared{DecisionResult::kRefused, told_.said};
}

/// Compares the pick with the node where the pod was bound.
Compared Comparison::against(const Request& all, const BestNode& best) {
  const NodeId node = by_.view.find_node(told_.node);
  const auto there = std::ranges::find(best.nodes, node);
  if (node == kNone || there == best.nodes.end()) return refused_there(DecisionResult::kOther);
  const auto bound = static_cast<std::size_t>(there - best.nodes.begin());
  if (bound == best.picked) return {DecisionResult::kSame, ""};
  std::vector<NodeTotal> of_bound =
      best_nodes({.totals = best.totals,
                  .scores = best.scores,
                  .rules = by_.engine.rules(),
                  .name_of = [&](std::size_t i) { return all.view.node_name(all.nodes[best.places[i]]); }},
                 bound);
  std::vector<NodeTotal>& kept = record_.best;
  std::erase_if(kept, [&](const NodeTotal& one) { return one.node == of_bound.front().node; });
  kept.insert(kept.begin() + 1, std::move(of_bound.front()));
  if (kept.size() > kBestNodes) kept.resize(kBestNodes);
  const bool ties = best.totals[bound] == best.totals[best.picked];
  return {ties ? DecisionResult::kTie : DecisionResult::kOther, ""};
}

/// Adds the rules that refuse the node where the pod was bound: all of them, since kube-scheduler may lack
/// any.
Compared Comparison::refused_there(DecisionResult result) {
  const NodeId node = by_.view.find_node(told_.node);
  if (node == kNone) return {result, "a node that the picture does not have"};
  const Filtered there = by_.engine.filter(request({&node, 1}), /*all_rules=*/true, unused_);
  RefusalCounts refusals;
  for (std::size_t rule = 0; rule < there.matrix.size(); ++rule)
    if (!there.matrix[rule].fits()) refusals.add(static_cast<std::uint16_t>(rule), there.matrix[rule]);
  record_.refused_there = refusals.told(there);
  std::ranges::sort(record_.refused_there, {}, &RefusedByRule::rule);
  return {result, ""};
}

}  // namespace

Compared compare(const SchedulerDecision& told, const Judgement& by, DecisionRecord& record) {
  return Comparison(told, by, record).make();
}

}  // namespace winnow
