#include "extender/nominate/pod_facts.h"

#include <algorithm>
#include <cstddef>

#include "cluster/api/kinds.h"
#include "cluster/client/servers/pod_patcher.h"
#include "cluster/rule/claims.h"
#include "cluster/rule/device_requests.h"
#include "cluster/state/pod_record.h"
#include "cluster/state/state.h"
#include "cluster/text/keyed_hash.h"
#include "extender/config/rules.h"
#include "extender/engine/claimed_devices.h"

namespace winnow {
namespace {

std::size_t hash_of_rules_part(const Pod& pod) {
  PodSpec spec = pod.spec;
  spec.scheduling_gates.clear();
  spec.node_name.clear();
  std::size_t hash = PodSpecHash()(spec);
  for (const auto& [key, value] : pod.metadata.labels) {
    hash = hash_mix(hash, TextHash()(key));
    hash = hash_mix(hash, TextHash()(value));
  }
  for (const PodResourceClaimStatus& claim : pod.status.resource_claim_statuses) {
    hash = hash_mix(hash, TextHash()(claim.name));
    hash = hash_mix(hash, TextHash()(claim.resource_claim_name.value_or("")));
  }
  return hash;  // The claim for extended resources is kube-scheduler's own, made for the node.
}

}  // namespace

bool waits_for_node(const Pod& pod) {
  const std::string& phase = pod.status.phase;
  return pod.spec.node_name.empty() && !pod.metadata.deleting && (phase.empty() || phase == "Pending");
}

PodFacts facts_of(const Pod& pod) {
  PodFacts facts{.ns = pod.metadata.namespace_,
                 .name = pod.metadata.name,
                 .uid = pod.metadata.uid,
                 .resource_version = pod.metadata.resource_version,
                 .version = to_number(pod.metadata.resource_version),
                 .priority = pod.spec.priority.value_or(0),
                 .scheduler = pod.spec.scheduler_name,
                 .gates = pod.spec.scheduling_gates,
                 .in_pod_group = pod.spec.in_pod_group,
                 .node = pod.spec.node_name,
                 .nominated = pod.status.nominated_node_name};
  facts.nominated_by_winnow = pod.status.nominated_by == live::kNominationManager;
  for (const PodCondition& condition : pod.status.conditions)
    if (is_refusal(condition)) facts.refused = condition;
  facts.over = facts.node.empty() && !waits_for_node(pod);
  facts.rules_hash = hash_of_rules_part(pod);
  return facts;
}

bool PodFacts::has_only_gate(std::string_view gate) const {
  return !gate.empty() && gates.size() == 1 && gates.front() == gate;
}

std::optional<WhyNotNominated> why_not_nominated(const PodFacts& facts, std::string_view gate) {
  const auto is_of_others = [&](const std::string& one) { return gate.empty() || one != gate; };
  if (std::ranges::any_of(facts.gates, is_of_others)) return WhyNotNominated::kSchedulingGates;
  if (facts.in_pod_group) return WhyNotNominated::kPodGroup;
  return std::nullopt;
}

std::optional<WhyNotNominated> why_not_nominated(const View& view, const Pod& pod, const RuleSet& rules) {
  if (rule_of_devices(rules, view) == nullptr) {
    if (!pod.spec.resource_claims.empty()) return WhyNotNominated::kResourceClaims;
    if (!device_requests(view.state(), pod).empty()) return WhyNotNominated::kDevices;
  }
  std::optional<WatchedKinds> known;
  for (const Volume& volume : pod.spec.volumes) {
    const auto name = claim_name(pod, volume, Generation::kToday);
    if (!name) continue;
    if (!known) known = needed(rules);
    if (!known->has(kind_of<PersistentVolumeClaim>)) return std::nullopt;
    const PersistentVolumeClaim* const claim = view.volumes().claim(pod.metadata.namespace_, *name);
    if (!claim) return WhyNotNominated::kClaimMissing;
    if (claim->volume_name.empty() || !known->has(kind_of<PersistentVolume>)) continue;
    if (!view.volumes().volume(claim->volume_name)) return WhyNotNominated::kVolumeMissing;
  }
  return std::nullopt;
}

bool awaits_resource_claims(const View& view, const Pod& pod) {
  return std::ranges::any_of(pod.spec.resource_claims, [&](const PodResourceClaim& one) {
    if (!one.resource_claim_template_name) return false;
    const auto made =
        std::ranges::find(pod.status.resource_claim_statuses, one.name, &PodResourceClaimStatus::name);
    if (made == pod.status.resource_claim_statuses.end()) return true;
    return made->resource_claim_name &&
           !view.devices().find_claim(pod.metadata.namespace_, *made->resource_claim_name);
  });
}

bool is_being_prepared(const View& view, const Pod& pod, std::string_view node) {
  if (view.devices().find_extended_resource_claim(pod.metadata.uid)) return true;
  return std::ranges::any_of(pod.spec.volumes, [&](const Volume& volume) {
    const auto name = claim_name(pod, volume, Generation::kToday);
    const PersistentVolumeClaim* const claim =
        name ? view.volumes().claim(pod.metadata.namespace_, *name) : nullptr;
    if (!claim) return false;
    const auto& notes = claim->metadata.annotations;
    const bool is_bound = notes.contains("pv.kubernetes.io/bind-completed") && !claim->volume_name.empty();
    if (is_bound && view.volumes().volume(claim->volume_name)) return false;
    const auto selected = notes.find("volume.kubernetes.io/selected-node");
    if (selected != notes.end()) return selected->second == node;  // Its volume may come after the claim.
    if (is_bound) return false;
    return !claim->volume_name.empty() || !view.volumes().volumes_for(pod.metadata.namespace_, *name).empty();
  });
}

std::string_view sentence_of(WhyNotNominated why) {
  constexpr std::string_view kTexts[kWhysNotNominated] = {
      "others have scheduling gates on it",
      "it is in a pod group, which is not judged",
      "it has resource claims, which are not judged",
      "a DeviceClass provides a resource of it, and devices are not judged",
      "a PersistentVolumeClaim of it does not exist",
      "a claim of it is bound to a PersistentVolume that does not exist"};
  return kTexts[static_cast<std::size_t>(why)];
}

}  // namespace winnow
