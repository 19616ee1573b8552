#include "extender/what_if/simulate/batch.h"

#include <algorithm>
#include <format>

#include "cluster/api/meta.h"
#include "cluster/expand/daemon_sets.h"
#include "cluster/state/state.h"

namespace winnow {

Budgets::Budgets(State& state) : state_(state) {
  for (const auto& [key, budget] : state.objects.of<PodDisruptionBudget>())
    if (auto selector = parse_label_selector(budget.selector); selector && !selector->is_nothing())
      by_namespace_[budget.metadata.namespace_].emplace_back(key, std::move(*selector));
}

std::vector<const std::string*> Budgets::of(const ObjectMeta& pod) const {
  std::vector<const std::string*> keys;
  if (const auto here = by_namespace_.find(pod.namespace_); here != by_namespace_.end())
    for (const auto& [key, selector] : here->second)
      if (selector.matches(pod.labels)) keys.push_back(&key);
  return keys;
}

std::optional<std::string> Budgets::refuses(const ObjectMeta& pod) const {
  const std::vector<const std::string*> keys = of(pod);
  if (pod.deleting || keys.empty()) return std::nullopt;
  if (keys.size() > 1)
    return "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
  const PodDisruptionBudget& budget = state_.objects.of<PodDisruptionBudget>().find(*keys.front())->second;
  if (budget.disruptions_allowed > 0) return std::nullopt;
  std::string text =
      "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget " +
      budget.metadata.name;
  if (budget.current_healthy <= budget.desired_healthy && budget.desired_healthy > 0)
    return text + std::format(" needs {} healthy pods and has {} currently", budget.desired_healthy,
                              budget.current_healthy);
  return text + " does not allow evicting pods currently";
}

void Budgets::change(const ObjectMeta& pod, int by) {
  if (by_namespace_.empty()) return;
  for (const std::string* const key : of(pod)) {
    PodDisruptionBudget& budget = state_.objects.of<PodDisruptionBudget>().find(*key)->second;
    const bool says_healthy = budget.desired_healthy > 0 || budget.current_healthy > 0;
    budget.current_healthy += says_healthy ? by : 0;
    const std::int32_t allowed =
        says_healthy ? budget.current_healthy - budget.desired_healthy : budget.disruptions_allowed + by;
    budget.disruptions_allowed = std::max(allowed, 0);
  }
}

namespace {

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};

std::string again(const std::string& name, std::size_t round) {
  return name + '-' + std::to_string(round + 1);
}

Pod pod_of(const PodSet& set, std::size_t i) {
  const std::size_t round = i / set.size(), first = i % set.size();
  Pod pod = set.pod(first);
  return round == 0 ? pod : repeated(std::move(pod), set.claims(first), round);
}

}  // namespace

Pod repeated(Pod pod, const std::vector<PersistentVolumeClaim>& claims, std::size_t round) {
  pod.metadata.name = again(pod.metadata.name, round);
  pod.metadata.uid = again(pod.metadata.uid, round);
  for (Volume& volume : pod.spec.volumes)
    if (volume.source == VolumeSource::kPersistentVolumeClaim &&
        std::ranges::any_of(claims, [&](const auto& claim) { return claim.metadata.name == volume.id; }))
      volume.id = again(volume.id, round);
  for (PodResourceClaimStatus& status : pod.status.resource_claim_statuses)
    if (status.resource_claim_name) status.resource_claim_name = again(*status.resource_claim_name, round);
  return pod;
}

std::vector<PersistentVolumeClaim> repeated(std::vector<PersistentVolumeClaim> claims, const Pod& pod,
                                            const Pod& repeat, std::size_t round) {
  for (PersistentVolumeClaim& claim : claims) {
    std::string& name = claim.metadata.name;
    // The claim of an ephemeral volume is named POD-VOLUME, and owned by the pod.
    const auto is_for = [&](const Volume& volume) {
      return volume.source == VolumeSource::kEphemeral && name == pod.metadata.name + '-' + volume.name;
    };
    const auto volume = std::ranges::find_if(pod.spec.volumes, is_for);
    name = volume == pod.spec.volumes.end() ? again(name, round) : repeat.metadata.name + '-' + volume->name;
    claim.metadata.uid = again(claim.metadata.uid, round);
    for (OwnerReference& owner : claim.metadata.owner_references)
      if (owner.uid == pod.metadata.uid) owner.name = repeat.metadata.name, owner.uid = repeat.metadata.uid;
  }
  return claims;
}

std::vector<ResourceClaim> repeated(std::vector<ResourceClaim> claims, const Pod& repeat, std::size_t round) {
  for (ResourceClaim& claim : claims) {
    claim.metadata.name = again(claim.metadata.name, round);
    claim.metadata.uid = again(claim.metadata.uid, round);
    for (OwnerReference& owner : claim.metadata.owner_references)
      owner.name = repeat.metadata.name, owner.uid = repeat.metadata.uid;
  }
  return claims;
}

std::size_t Batch::size() const {
  return std::visit([](const auto& pods) { return pods.size(); }, pods_);
}

Pod Batch::pod(const State& state, std::size_t i) const {
  return std::visit(Overloaded{[&](const PodSet& set) { return pod_of(set, i); },
                               [&](const WaitingNames& names) {
                                 const PodId id = state.find_pod(names[i].first, names[i].second);
                                 return id == kNone ? Pod() : state.to_pod(id);
                               },
                               [&](const std::vector<Pod>& pods) { return pods[i]; }},
                    pods_);
}

std::vector<PersistentVolumeClaim> Batch::claims(std::size_t i) const {
  const auto* const set = std::get_if<PodSet>(&pods_);
  if (!set) return {};
  const std::size_t round = i / set->size(), first = i % set->size();
  std::vector<PersistentVolumeClaim> claims = set->claims(first);
  if (round == 0 || claims.empty()) return claims;
  return repeated(std::move(claims), set->pod(first), pod_of(*set, i), round);
}

std::vector<ResourceClaim> Batch::resource_claims(std::size_t i) const {
  const auto* const set = std::get_if<PodSet>(&pods_);
  if (!set) return {};
  const std::size_t round = i / set->size(), first = i % set->size();
  std::vector<ResourceClaim> claims = set->resource_claims(first);
  if (round == 0 || claims.empty()) return claims;
  return repeated(std::move(claims), pod_of(*set, i), round);
}

std::string Batch::pod_name(std::size_t i) const {
  return std::visit(
      Overloaded{[&](const PodSet& set) { return key_of(pod_of(set, i).metadata); },
                 [&](const WaitingNames& names) { return key_of(names[i].first, names[i].second); },
                 [&](const std::vector<Pod>& pods) { return key_of(pods[i].metadata); }},
      pods_);
}

std::size_t Batch::add(std::pair<std::string, std::string> waiting) {
  WaitingNames& names = std::get<WaitingNames>(pods_);
  names.push_back(std::move(waiting));
  return names.size() - 1;
}

std::size_t Batch::add(Pod pod) {
  std::vector<Pod>& pods = std::get<std::vector<Pod>>(pods_);
  pods.push_back(std::move(pod));
  return pods.size() - 1;
}

bool goes_with_node(const ObjectMeta& pod) {
  const OwnerReference* const owner = controller_of(pod);
  return owner && (owner->kind == "DaemonSet" || owner->kind == "Node");
}

std::string workload_of(const ObjectMeta& pod) {
  const OwnerReference* const owner = controller_of(pod);
  if (!owner) return "Pod " + key_of(pod);
  const auto hash = pod.labels.find("pod-template-hash");
  if (owner->kind == "ReplicaSet" && hash != pod.labels.end())
    if (const std::string end = '-' + hash->second;
        owner->name.ends_with(end) && owner->name.size() > end.size())
      return "Deployment " +
             key_of(pod.namespace_, std::string_view(owner->name).substr(0, owner->name.size() - end.size()));
  return owner->kind + ' ' + key_of(pod.namespace_, owner->name);
}

}  // namespace winnow
