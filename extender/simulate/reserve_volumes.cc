#include "extender/simulate/reserve_volumes.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "cluster/rule/volumes/delayed_claims.h"
#include "cluster/rule/volumes/pod_claims.h"

namespace winnow {
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

}  // namespace winnow
