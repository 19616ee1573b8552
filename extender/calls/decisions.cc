#include "extender/calls/decisions.h"

#include <chrono>
#include <string>
#include <utility>

namespace winnow {

Serving Decisions::serving() const {
  const MutexLock lock(serving_mutex_);
  return serving_;
}

void Decisions::replace(Serving serving) {
  const Serving before = exchange(std::move(serving));
  before.picture->news().tell(/*for_others=*/true);  // Wakes the calls that are held.
}

/// @return the serving that was in force. It is destroyed when the last call that holds it ends.
Serving Decisions::exchange(Serving serving) {
  const MutexLock deciding(deciding_);
  const Serving before = this->serving();
  if (before.picture != serving.picture) {
    const Picture::Reader old = before.picture->read();
    serving.picture->write_pods([&](AssumedPods& pods) { pods.take_over(old.assumed()); });
  }
  const MutexLock lock(serving_mutex_);
  return std::exchange(serving_, std::move(serving));
}

Decisions::Lock Decisions::decide_alone(Serving& serving) {
  if (!alone_) return {};
  Lock lock = lock_for_call();
  serving = this->serving();
  return lock;
}

Decisions::Lock Decisions::lock_for_call() {
  ++calls_waiting_;
  Lock lock(deciding_);
  if (--calls_waiting_ == 0) calls_waiting_.notify_all();
  return lock;
}

Decisions::Lock Decisions::decide_after_calls(Serving& serving) {
  for (std::size_t calls = calls_waiting_; calls != 0; calls = calls_waiting_) calls_waiting_.wait(calls);
  Lock lock(deciding_);
  serving = this->serving();
  return lock;
}

void Decisions::assume(const Serving& serving, const Pod& pod, std::string_view node,
                       std::string_view text) const {
  if (!assumes_) return;
  serving.picture->write_pods([&](AssumedPods& pods) {
    pods.assume(pod, std::string(node), std::chrono::steady_clock::now(), text);
  });
}

void Decisions::change_assumed(Serving& serving, const std::function<void(AssumedPods&)>& change) {
  const Lock lock = lock_for_call();
  serving = this->serving();
  serving.picture->write_pods(change);
}

}  // namespace winnow
