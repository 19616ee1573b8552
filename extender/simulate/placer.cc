#include "extender/simulate/placer.h"

#include <algorithm>

#include "extender/calls/judge.h"
#include "extender/engine/preemption/victim_search.h"
#include "extender/engine/select.h"
#include "extender/simulate/reserve_volumes.h"

namespace winnow {

/// A node, or why there is none.
struct Placer::Choice {
  NodeId node = kNone;
  std::int64_t total = 0;
  std::size_t feasible = 0;
  bool refused = false;  ///< By the rules, on all nodes; and no error: a preemption may help.
  std::string why;
  std::vector<std::pair<std::string, std::size_t>> reasons;
};

Placer::Placer(State& state, const Engines& engines, const PlacerOptions& options)
    : state_(state), engines_(engines), options_(options) {
  const View view(state_);
  nodes_ = view.all_nodes();
  std::ranges::sort(nodes_, {}, [&](NodeId id) { return view.node_name(id); });
}

Placement Placer::place(const Pod& pod, bool may_preempt) {
  Placement placement;
  const Engine* const engine = engines_.find(pod);
  if (!engine) {
    placement.is_error = true;
    placement.why = no_profile_error(pod);
    placement.reasons = {{placement.why, nodes_.size()}};
    return placement;
  }
  const Choice choice = choose(*engine, pod);
  take(*engine, pod, choice, placement);
  if (choice.refused && options_.preemption && may_preempt) preempt(*engine, pod, placement);
  return placement;
}

Placer::Choice Placer::choose(const Engine& engine, const Pod& pod) const {
  const std::string& nominated = pod.status.nominated_node_name;
  if (!nominated.empty() && engine.rules().generation == Generation::kToday)
    if (const NodeId node = state_.find_node(nominated); node != kNone)
      if (Choice choice = choose_among(engine, pod, {node}); choice.node != kNone) return choice;
  return choose_among(engine, pod, nodes_);
}

Placer::Choice Placer::choose_among(const Engine& engine, const Pod& pod,
                                    const std::vector<NodeId>& nodes) const {
  const View view(state_);
  const Request request{.pod = pod, .view = view, .nodes = nodes, .accounting = engine.rules().accounting};
  PassTimes unused;
  const Judged judged = judge(request, engine, unused);
  Choice choice{.feasible = static_cast<std::size_t>(judged.feasible)};
  const auto fail = [&](std::string error) {
    choice.reasons = {{error, nodes.size()}};
    choice.why = std::move(error);
  };
  if (judged.error) {
    fail(*judged.error);
  } else if (!judged.fits()) {
    choice.refused = true;
    choice.why = why_none_fits(judged.filtered, nodes.size());
    for (const auto& [reason, count] : count_reasons(judged.filtered, nodes.size()))
      choice.reasons.emplace_back(reason, count);
    if (nodes.empty()) choice.reasons = {{choice.why, 0}};
  } else if (const auto best = score_fitting(request, judged.filtered, engine, unused); !best) {
    fail(best.error());
  } else {
    const std::size_t picked = best->totals.empty() ? 0 : pick(pod, best->totals);
    choice.node = nodes[best->places[picked]];
    if (!best->totals.empty()) choice.total = best->totals[picked];
  }
  return choice;
}

std::string Placer::why_not(const Pod& pod, NodeId node) const {
  const Engine* const engine = engines_.find(pod);
  if (!engine) return no_profile_error(pod);
  const Choice choice = choose_among(*engine, pod, {node});
  std::string text;
  if (choice.node == kNone)
    for (const auto& [reason, count] : choice.reasons) text += (text.empty() ? "" : ", ") + reason;
  return text;
}

/// The nodes are in order of name, as NodePicker has them.
std::size_t Placer::pick(const Pod& pod, const std::vector<std::int64_t>& totals) const {
  if (!options_.seed) return static_cast<std::size_t>(std::ranges::max_element(totals) - totals.begin());
  return *draw_best<std::int64_t>(totals, Draw(*options_.seed, pod.metadata.uid));
}

/// The victims go at once, and the pod is tried again, nominated for their node: kube-scheduler waits
/// between. Nominations of lower priority for that node end.
/// Upstream: pkg/scheduler/framework/preemption/executor.go prepareCandidate v1.37.0.
void Placer::preempt(const Engine& engine, const Pod& pod, Placement& placement) {
  FreedNodes found;
  {
    const View view(state_);
    found = search_victims(engine, view, pod);
  }
  if (!found.best) return;
  FreedNode& freed = found.nodes[*found.best];
  for (const PodId victim : freed.victims) placement.victims.push_back(state_.to_pod(victim));
  for (const Pod& victim : placement.victims)
    state_.remove_pod(victim.metadata.namespace_, victim.metadata.name);
  std::vector<Pod> outranked;
  for (const PodId id : state_.nominated().on(freed.name))
    if (state_.spec(state_.pod(id)).priority.value_or(0) < pod.spec.priority.value_or(0))
      outranked.push_back(state_.to_pod(id));
  for (Pod& one : outranked) {
    one.status.nominated_node_name.clear();
    one.status.nominated_by.clear();
    state_.set_pod(one);
  }
  Pod nominated = pod;
  nominated.status.nominated_node_name = std::move(freed.name);
  take(engine, nominated, choose(engine, nominated), placement);
}

void Placer::take(const Engine& engine, const Pod& pod, const Choice& choice, Placement& placement) {
  // Counts that this pod has asked for first are kept from now on.
  if (state_.groups.has_wanted()) state_.groups.keep_wanted();
  placement.why = choice.why;
  placement.reasons = choice.reasons;
  placement.is_error = choice.node == kNone && !choice.refused;
  placement.total = choice.total;
  placement.feasible = choice.feasible;
  if (choice.node == kNone) return;
  reserve_volumes(state_, engine.rules(), pod, choice.node);
  placement.node = state_.nodes().name[choice.node];
  Pod placed = pod;
  placed.spec.node_name = placement.node;
  placed.status.nominated_node_name.clear();
  placed.status.nominated_by.clear();
  state_.set_pod(placed);
}

}  // namespace winnow
