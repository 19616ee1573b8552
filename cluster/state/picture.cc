#include "cluster/state/picture.h"

namespace winnow {

WriterFirstMutex::WriterFirstMutex() {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock_, &attributes);
  pthread_rwlockattr_destroy(&attributes);
}

void Picture::write(const std::function<void(State&)>& events) {
  const std::unique_lock lock(mutex_);
  events(state_);
  changed_ = std::chrono::system_clock::now();
}

void Picture::write_pods(const std::function<void(AssumedPods&)>& events) {
  bool freed = false;
  {
    const std::unique_lock lock(mutex_);
    const std::size_t before = assumed_.size();
    events(assumed_);
    changed_ = std::chrono::system_clock::now();
    freed = assumed_.size() < before;
  }
  if (freed) news_.tell(/*for_others=*/true);
}

void Picture::settle() {
  if (!state_.groups.has_wanted()) return;
  const std::unique_lock lock(mutex_);
  state_.groups.keep_wanted();
}

std::chrono::system_clock::time_point Picture::changed() const {
  const std::shared_lock lock(mutex_);
  return changed_;
}

}  // namespace winnow
