#include "extender/simulate/placer.h"

#include "extender/engine/preemption/victim_search.h"

namespace winnow {

Placer::Placer(State& state, const Engines& engines, const PlacerOptions& options)
    : state_(state), engines_(engines), options_(options), nodes_(nodes_by_name(View(state))) {}

Placement Placer::place(const Pod& pod, const Chosen& chosen, bool may_preempt) {
  Placement placement;
  const Choice choice = choose_now(pod);
  if (chosen) chosen(choice);
  take(pod, choice, placement);
  if (choice.refused && options_.preemption && may_preempt) preempt(*choice.engine, pod, placement);
  return placement;
}

Choice Placer::choose_now(const Pod& pod) const {
  return choose(engines_, View(state_), pod, nodes_, {.seed = options_.seed});
}

std::string Placer::why_not(const Pod& pod, NodeId node) const {
  const Engine* const engine = engines_.find(pod);
  if (!engine) return no_profile_error(pod);
  const Choice choice = choose_among(*engine, View(state_), pod, {node}, {});
  std::string text;
  if (choice.node == kNone)
    for (const auto& [reason, count] : choice.reasons) text += (text.empty() ? "" : ", ") + reason;
  return text;
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
  take(nominated, choose_now(nominated), placement);
}

void Placer::take(const Pod& pod, const Choice& choice, Placement& placement) {
  // Counts that this pod has asked for first are kept from now on.
  if (state_.groups.has_wanted()) state_.groups.keep_wanted();
  placement.why = choice.why;
  placement.reasons = choice.reasons;
  placement.is_error = choice.node == kNone && !choice.refused;
  placement.total = choice.total();
  placement.feasible = choice.best.places.size();
  if (choice.node == kNone) return;
  placement.reserved = put_on_node(state_, choice.engine->rules(), pod, choice.node);
  placement.node = state_.nodes().name[choice.node];
}

Reserved put_on_node(State& state, const RuleSet& rules, const Pod& pod, NodeId node) {
  Reserved reserved = reserve_volumes(state, rules, pod, node);
  Pod placed = pod;
  placed.spec.node_name = state.nodes().name[node];
  placed.status.nominated_node_name.clear();
  placed.status.nominated_by.clear();
  state.set_pod(placed);
  return reserved;
}

}  // namespace winnow
