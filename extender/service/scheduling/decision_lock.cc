#include "extender/service/scheduling/decision_lock.h"

#include <utility>

#include "cluster/state/assumed_pods.h"
#include "cluster/state/cluster_cache.h"

namespace winnow {

ActiveConfig DecisionLock::active() const {
  const MutexLock lock(active_mutex_);
  return active_;
}

void DecisionLock::replace(ActiveConfig active) {
  const ActiveConfig before = exchange(std::move(active));
  before.cache->news().tell(/*for_others=*/true);  // Wakes the calls that are held.
}

/// @return the active configuration that was in force. It is destroyed when the last call that holds it ends.
ActiveConfig DecisionLock::exchange(ActiveConfig active) {
  const MutexLock deciding(deciding_);
  const ActiveConfig before = this->active();
  if (before.cache != active.cache) {
    const ClusterCache::ReadGuard old = before.cache->read();
    active.cache->write_pods([&](AssumedPods& pods) { pods.take_over(old.assumed()); });
  }
  const MutexLock lock(active_mutex_);
  return std::exchange(active_, std::move(active));
}

DecisionLock::Lock DecisionLock::decide_alone(ActiveConfig& active) {
  if (!alone_) return {};
  Lock lock = lock_for_call();
  active = this->active();
  return lock;
}

DecisionLock::Lock DecisionLock::lock_for_call() {
  ++calls_waiting_;
  Lock lock(deciding_);
  if (--calls_waiting_ == 0) calls_waiting_.notify_all();
  return lock;
}

DecisionLock::Lock DecisionLock::decide_after_calls(ActiveConfig& active) {
  for (std::size_t calls = calls_waiting_; calls != 0; calls = calls_waiting_) calls_waiting_.wait(calls);
  Lock lock(deciding_);
  active = this->active();
  return lock;
}

}  // namespace winnow
