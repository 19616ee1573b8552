#include "extender/what_if/simulate/placer.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <span>
#include <utility>

#include "cluster/rule/claims.h"
#include "cluster/rule/extended_resource_claim.h"
#include "cluster/state/state.h"
#include "extender/engine/claimed_devices.h"
#include "extender/engine/engines.h"
#include "extender/engine/select.h"
#include "extender/engine/victim_search.h"

namespace winnow {
namespace {

/// An index of the totals. Those are of nodes in order of name.
std::size_t pick(const Pod& pod, const BestNode& best, const ChooseOptions& options) {
  if (options.stays != kNone)
    if (const auto stays = std::ranges::find(best.nodes, options.stays); stays != best.nodes.end()) {
      const auto place = static_cast<std::size_t>(stays - best.nodes.begin());
      if (best.totals[place] == best.totals.highest()) return place;
    }
  if (!options.seed) return best.totals.first_of_highest();
  return *draw_best(best.totals, Draw(*options.seed, pod.metadata.uid));
}

}  // namespace

std::vector<NodeId> nodes_by_name(const View& view) {
  std::vector<NodeId> nodes = view.all_nodes();
  std::ranges::sort(nodes, {}, [&](NodeId id) { return view.node_name(id); });
  return nodes;
}

Choice choose(const Engines& engines, const View& view, const Pod& pod, const std::vector<NodeId>& nodes,
              const ChooseOptions& options) {
  const Engine* const engine = engines.find(pod);
  if (!engine) {
    Choice choice;
    choice.why = no_profile_error(pod);
    choice.reasons = {{choice.why, nodes.size()}};
    return choice;
  }
  const std::string& nominated = pod.status.nominated_node_name;
  if (!nominated.empty() && engine->rules().generation == Generation::kToday)
    if (const NodeId node = view.find_node(nominated); node != kNone)
      if (Choice choice = choose_among(*engine, view, pod, {node}, options); choice.node != kNone) {
        choice.nominated = true;
        return choice;
      }
  return choose_among(*engine, view, pod, nodes, options);
}

Choice choose_among(const Engine& engine, const View& view, const Pod& pod, const std::vector<NodeId>& nodes,
                    const ChooseOptions& options) {
  const Request request{.pod = pod, .view = view, .nodes = nodes, .accounting = engine.rules().accounting};
  PassTimes unused;
  const FeasibleNodes feasible = find_feasible_nodes(request, engine, unused);
  Choice choice;
  choice.engine = &engine;
  const auto fail = [&](std::string error) {
    choice.reasons = {{error, nodes.size()}};
    choice.why = std::move(error);
  };
  if (feasible.error) {
    fail(*feasible.error);
  } else if (!feasible.fits()) {
    choice.refused = true;
    choice.why = why_none_fits(feasible.filtered, nodes.size());
    for (const auto& [reason, count] : count_reasons(feasible.filtered, nodes.size()))
      choice.reasons.emplace_back(reason, count);
    if (nodes.empty()) choice.reasons = {{choice.why, 0}};
  } else if (auto best = score_fitting(request, feasible.filtered, engine, unused); !best) {
    fail(best.error());
  } else {
    choice.best = std::move(*best);
    if (!choice.best.totals.empty()) choice.best.picked = pick(pod, choice.best, options);
    choice.node = choice.best.nodes[choice.best.picked];
  }
  return choice;
}

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

Placement Placer::place_on(const Pod& pod, NodeId node) {
  Placement placement;
  take(pod, choose(engines_, View(state_), pod, {node}, {}), placement);
  return placement;
}

std::vector<NodeId> Placer::fitting(const Pod& pod) const {
  const Engine* const engine = engines_.find(pod);
  if (!engine) return {};
  const Choice choice = choose_among(*engine, View(state_), pod, nodes_, {});
  return {choice.best.nodes.begin(), choice.best.nodes.end()};
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
  reserved.append(reserve_devices(state, rules, pod, node));
  Pod placed = pod;
  placed.spec.node_name = state.nodes().name[node];
  placed.status.nominated_node_name.clear();
  placed.status.nominated_by.clear();
  state.set_pod(placed);
  return reserved;
}

void Reserved::append(Reserved later) {
  std::ranges::move(later.claims, std::back_inserter(claims));
  std::ranges::move(later.volumes, std::back_inserter(volumes));
  std::ranges::move(later.resource_claims, std::back_inserter(resource_claims));
  std::ranges::move(later.new_resource_claims, std::back_inserter(new_resource_claims));
}

namespace {

/// Upstream reserves what the rule's filter has found.
bool binds_volumes(const RuleSet& rules) {
  return std::ranges::any_of(rules.predicates, [](const ConfiguredPredicate& rule) {
    return rule.filters && (rule.name == "VolumeBinding" || rule.name == "CheckVolumeBinding");
  });
}

void bind(State& state, PersistentVolumeClaim claim, PersistentVolume volume) {
  volume.claim_namespace = claim.metadata.namespace_;
  volume.claim_name = claim.metadata.name;
  volume.claim_uid = claim.metadata.uid;
  volume.phase = "Bound";
  claim.volume_name = volume.metadata.name;
  claim.metadata.annotations["pv.kubernetes.io/bind-completed"] = "yes";
  claim.phase = "Bound";
  state.volumes.set(std::move(volume));
  state.volumes.set(std::move(claim));
}

}  // namespace

Reserved reserve_volumes(State& state, const RuleSet& rules, const Pod& pod, NodeId node) {
  const auto has_claim = [&](const Volume& volume) {
    return claim_name(pod, volume, rules.generation).has_value();
  };
  if (std::ranges::none_of(pod.spec.volumes, has_claim) || !binds_volumes(rules)) return {};
  const View view(state);
  const auto claims = claims_of(view, pod, rules.generation);
  if (!claims || claims->delayed.empty()) return {};
  const DelayedClaims delayed(view, claims->delayed, rules.generation);
  ServedBy by;
  if (!delayed.error().empty() || delayed.serve(node, &by) != Served::kYes) return {};
  // The state's objects move when one of them is set: copies first.
  Reserved before;
  for (const ServedBy::Bound& one : by.bound) {
    before.claims.push_back(*one.claim);
    before.volumes.push_back(*one.volume);
  }
  for (const ServedBy::Made& one : by.made) before.claims.push_back(*one.claim);
  for (std::size_t i = 0; i < before.claims.size(); ++i) {
    if (i < before.volumes.size()) {
      bind(state, before.claims[i], before.volumes[i]);
      continue;
    }
    // As it is now: a claim that the pod names twice may have been bound above.
    PersistentVolumeClaim claim =
        *state.volumes.claim(pod.metadata.namespace_, before.claims[i].metadata.name);
    claim.metadata.annotations["volume.kubernetes.io/selected-node"] = state.nodes().name[node];
    state.volumes.set(std::move(claim));
  }
  return before;
}

namespace {

/// The claim that kube-scheduler makes for a pod's extended resources, by a name that no other has.
ResourceClaim claim_of_extended_resources(const Pod& pod) {
  ResourceClaim claim;
  claim.metadata.namespace_ = pod.metadata.namespace_;
  claim.metadata.name = std::string(kExtendedResourceClaim) + pod.metadata.name;
  claim.metadata.uid = extended_resource_claim_uid(pod.metadata.uid);
  claim.metadata.annotations["resource.kubernetes.io/extended-resource-claim"] = "true";
  claim.metadata.owner_references = {{"v1", "Pod", pod.metadata.name, pod.metadata.uid, true}};
  return claim;
}

}  // namespace

Reserved reserve_devices(State& state, const RuleSet& rules, const Pod& pod, NodeId node) {
  const View view(state);
  const NodeId nodes[] = {node};
  const std::vector<ClaimedDevices> found =
      devices_on(rules, {.pod = pod, .view = view, .nodes = nodes, .accounting = rules.accounting});
  Reserved before;
  for (const ClaimedDevices& one : found) {
    const std::string& ns = pod.metadata.namespace_;
    const ResourceClaim* const known = state.devices.find_claim(ns, one.claim);
    ResourceClaim claim = known ? *known : claim_of_extended_resources(pod);
    if (known)
      before.resource_claims.push_back(claim);
    else
      before.new_resource_claims.emplace_back(ns, claim.metadata.name);
    claim.allocation = one.allocation;
    // The driver has met them.
    for (AllocatedDevice& device : claim.allocation->devices) device.binding_conditions.clear();
    claim.reserved_for.push_back({"", "pods", pod.metadata.name, pod.metadata.uid});
    ObjectWriter<ResourceClaim>::set(state, claim);
  }
  return before;
}

}  // namespace winnow
