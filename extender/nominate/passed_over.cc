#include "extender/nominate/passed_over.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "cluster/rule/claims.h"
#include "cluster/rule/device_requests.h"
#include "extender/config/rules.h"

namespace winnow {

std::optional<WhyNotNominated> why_not_nominated(const PodFacts& facts, std::string_view gate) {
  const auto is_of_others = [&](const std::string& one) { return gate.empty() || one != gate; };
  if (std::ranges::any_of(facts.gates, is_of_others)) return WhyNotNominated::kSchedulingGates;
  if (facts.has_resource_claims) return WhyNotNominated::kResourceClaims;
  if (facts.in_pod_group) return WhyNotNominated::kPodGroup;
  return std::nullopt;
}

std::optional<WhyNotNominated> why_not_nominated(const View& view, const Pod& pod, const RuleSet& rules) {
  if (!device_requests(view.state(), pod).empty()) return WhyNotNominated::kDevices;
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

bool is_being_prepared(const View& view, const Pod& pod, std::string_view node) {
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
      "it has resource claims, which are not judged",
      "it is in a pod group, which is not judged",
      "a DeviceClass provides a resource of it, and devices are not judged",
      "a PersistentVolumeClaim of it does not exist",
      "a claim of it is bound to a PersistentVolume that does not exist"};
  return kTexts[static_cast<std::size_t>(why)];
}

void PassedOver::expect(const std::string& key, const Nominated& pod, Arrival latest) {
  forget(key);
  pods_[key] = {.pod = pod, .behind = latest};
  schedulers_[pod.scheduler].by_priority[pod.priority].emplace(latest, key);
}

void PassedOver::forget(const std::string& key) {
  const auto found = pods_.find(key);
  if (found == pods_.end()) return;
  const Expected& expected = found->second;
  auto& by_priority = schedulers_.find(expected.pod.scheduler)->second.by_priority;
  const auto equals = by_priority.find(expected.pod.priority);
  if (equals != by_priority.end()) {
    equals->second.erase({expected.behind, key});
    if (equals->second.empty()) by_priority.erase(equals);
  }
  overtaken_.erase(key);
  pods_.erase(found);
}

void PassedOver::tried(const Tried& pod, Arrival latest, Time now) {
  const auto found = schedulers_.find(pod.scheduler);
  if (found == schedulers_.end()) return;  // Nothing was ever nominated there.
  Scheduler& scheduler = found->second;
  if (pod.is_new) scheduler.tried_new = now;
  std::vector<std::string> behind;
  for (auto equals = scheduler.by_priority.lower_bound(pod.priority); equals != scheduler.by_priority.end();
       ++equals)
    for (const auto& [arrival, key] : equals->second) {
      if (arrival >= pod.arrival) break;
      behind.push_back(key);
    }
  for (const std::string& key : behind) overtake(key, latest, now);
}

/// Later arrivals alone can overtake it again.
void PassedOver::overtake(const std::string& key, Arrival latest, Time now) {
  Expected& expected = pods_.find(key)->second;
  auto& by_priority = schedulers_.find(expected.pod.scheduler)->second.by_priority;
  const auto equals = by_priority.find(expected.pod.priority);
  if (overtaken_.insert(key).second)
    expected.overtaken = now;
  else
    expected.twice = true;
  equals->second.erase({expected.behind, key});
  expected.behind = latest;
  if (!expected.twice) equals->second.emplace(latest, key);
  if (equals->second.empty()) by_priority.erase(equals);
}

std::string PassedOver::passed_over(Time now) const {
  for (const std::string& key : overtaken_) {
    const Expected& expected = pods_.find(key)->second;
    if (now - expected.overtaken < kGrace) continue;
    const Time tried_new = schedulers_.find(expected.pod.scheduler)->second.tried_new;
    if (expected.twice || now - tried_new >= kIdle) return key;
  }
  return {};
}

}  // namespace winnow
