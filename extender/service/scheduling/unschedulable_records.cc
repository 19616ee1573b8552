// The list's order is the order of looks: next() moves what it returns to the end, where new refusals are
// added too. The keys of by_uid_ are views into the list's elements, which do not move.
#include "extender/service/scheduling/unschedulable_records.h"

#include <algorithm>
#include <utility>

namespace winnow {
namespace {

/// kube-scheduler's pause after so many attempts: a second, twice as long with each, ten seconds at most.
/// Upstream: podInitialBackoffSeconds and podMaxBackoffSeconds of KubeSchedulerConfiguration v1.37.0.
UnschedulableRecord::Time::duration back_off(std::uint64_t attempts) {
  constexpr std::chrono::seconds kLongest{10};
  return attempts > 4 ? kLongest : std::min(kLongest, std::chrono::seconds(1 << (attempts - 1)));
}

}  // namespace

void UnschedulableRecords::refused(UnschedulableRecord refusal) {
  const MutexLock lock(mutex_);
  if (const auto known = by_uid_.find(refusal.uid); known != by_uid_.end()) {
    refusal.times = known->second->times + 1;
    erase(known->second);
  }
  list_.push_back(std::move(refusal));
  by_uid_.emplace(list_.back().uid, std::prev(list_.end()));
  if (list_.size() > kPods) erase(list_.begin());
}

void UnschedulableRecords::forget(std::string_view uid) {
  const MutexLock lock(mutex_);
  if (const auto known = by_uid_.find(uid); known != by_uid_.end()) erase(known->second);
}

void UnschedulableRecords::forget(const UnschedulableRecord& refusal) {
  const MutexLock lock(mutex_);
  const auto known = by_uid_.find(refusal.uid);
  if (known != by_uid_.end() && known->second->refused == refusal.refused) erase(known->second);
}

std::optional<UnschedulableRecord> UnschedulableRecords::find(std::string_view uid) const {
  const MutexLock lock(mutex_);
  const auto known = by_uid_.find(uid);
  return known == by_uid_.end() ? std::nullopt : std::optional(*known->second);
}

std::vector<UnschedulableRecord> UnschedulableRecords::next(std::size_t count) {
  const MutexLock lock(mutex_);
  std::vector<UnschedulableRecord> found;
  for (count = std::min(count, list_.size()); count > 0; --count) {
    found.push_back(list_.front());
    list_.splice(list_.end(), list_, list_.begin());
  }
  return found;
}

std::optional<UnschedulableRecord> UnschedulableRecords::looked(const UnschedulableRecord& refusal,
                                                                const std::optional<std::string>& node,
                                                                Time now, Time::duration told_after) {
  const MutexLock lock(mutex_);
  const auto known = by_uid_.find(refusal.uid);
  if (known == by_uid_.end() || known->second->refused != refusal.refused) return std::nullopt;
  UnschedulableRecord& here = *known->second;
  if (!node) {
    here.would_fit.reset();
    here.node.clear();
    return std::nullopt;
  }
  if (!here.would_fit) here.would_fit = now;
  here.node = *node;
  if (here.told || now - *here.would_fit < told_after) return std::nullopt;
  here.told = true;
  ++told_;
  return here;
}

std::optional<UnschedulableRecord> UnschedulableRecords::to_wake(const UnschedulableRecord& refusal, Time now,
                                                                 Time::duration after) {
  const MutexLock lock(mutex_);
  const auto known = by_uid_.find(refusal.uid);
  if (known == by_uid_.end() || known->second->refused != refusal.refused) return std::nullopt;
  UnschedulableRecord& here = *known->second;
  if (here.woken || !here.would_fit || now - *here.would_fit < after) return std::nullopt;
  if (now - here.refused < back_off(here.times)) return std::nullopt;
  here.woken = true;
  return here;
}

bool UnschedulableRecords::has_any_to_wake() const {
  const MutexLock lock(mutex_);
  return std::ranges::any_of(list_,
                             [](const UnschedulableRecord& one) { return one.would_fit && !one.woken; });
}

std::size_t UnschedulableRecords::size() const {
  const MutexLock lock(mutex_);
  return list_.size();
}

std::size_t UnschedulableRecords::would_fit(Time now, Time::duration age) const {
  const MutexLock lock(mutex_);
  return static_cast<std::size_t>(std::ranges::count_if(
      list_, [&](const UnschedulableRecord& one) { return one.would_fit && now - *one.would_fit >= age; }));
}

std::uint64_t UnschedulableRecords::told_count() const {
  const MutexLock lock(mutex_);
  return told_;
}

void UnschedulableRecords::erase(List::iterator refusal) {
  by_uid_.erase(refusal->uid);
  list_.erase(refusal);
}

}  // namespace winnow
