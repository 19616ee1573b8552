#include "extender/nominate/pod_facts.h"

#include "cluster/api/refusal.h"
#include "cluster/servers/pod_patcher.h"
#include "cluster/state/pod_hashes.h"
#include "cluster/state/state.h"
#include "cluster/text/keyed_hash.h"

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
  return hash;
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
                 .has_resource_claims = pod.spec.has_resource_claims,
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

}  // namespace winnow
