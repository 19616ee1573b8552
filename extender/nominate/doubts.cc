#include "extender/nominate/doubts.h"

#include <algorithm>

namespace winnow {
namespace {

/// Between two looks at all pods that were overtaken, where none was due.
constexpr std::chrono::milliseconds kBetweenLooks{50};

}  // namespace

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

void Doubts::update(const std::string& key, Entry& entry, Time due, bool may_be_tried) {
  if (!may_be_tried)
    passed_over_.forget(key);
  else if (!passed_over_.expects(key) && !std::exchange(entry.is_new_, true))
    new_.push_back(key);
  if (due == entry.due_) return;
  if (due != Time::max()) due_.emplace(due, key);
  if (entry.due_ != Time::max()) due_.erase({entry.due_, key});
  entry.due_ = due;
}

void Doubts::forget(const std::string& key, Entry& entry) {
  if (entry.due_ != Time::max()) due_.erase({entry.due_, key});
  entry.due_ = Time::max();
  passed_over_.forget(key);
}

void Doubts::expect(const std::string& key, Entry& entry, const PassedOver::Nominated* pod,
                    PassedOver::Arrival latest) {
  entry.is_new_ = false;
  if (pod) passed_over_.expect(key, *pod, latest);
}

std::optional<Doubts::Due> Doubts::next(Time now) {
  if (!due_.empty() && due_.begin()->first <= now) return Due{.key = due_.begin()->second};
  if (now < quiet_until_) return std::nullopt;
  std::string key = passed_over_.passed_over(now);
  if (!key.empty()) return Due{.key = std::move(key), .passed_over = true};
  quiet_until_ = now + kBetweenLooks;
  return std::nullopt;
}

}  // namespace winnow
