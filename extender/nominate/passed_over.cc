#include "extender/nominate/passed_over.h"

#include <algorithm>
#include <vector>

namespace winnow {

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
