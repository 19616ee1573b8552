#include "cluster/state/picture.h"

namespace winnow {
namespace {

class WINNOW_LOCK_CLASS WriteLock {
 public:
  explicit WriteLock(WriterFirstMutex& mutex) WINNOW_ACQUIRES(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~WriteLock() WINNOW_RELEASES() { mutex_.unlock(); }
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

 private:
  WriterFirstMutex& mutex_;
};

}  // namespace

WriterFirstMutex::WriterFirstMutex() {
  pthread_rwlockattr_t attributes;
  pthread_rwlockattr_init(&attributes);
  pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
  pthread_rwlock_init(&lock_, &attributes);
  pthread_rwlockattr_destroy(&attributes);
}

void Picture::write(const std::function<void(State&)>& events) {
  const WriteLock lock(mutex_);
  events(state_);
  changed_ = std::chrono::system_clock::now();
}

void Picture::write_pods(const std::function<void(AssumedPods&)>& events) {
  bool freed = false;
  {
    const WriteLock lock(mutex_);
    const std::size_t before = assumed_.size();
    events(assumed_);
    changed_ = std::chrono::system_clock::now();
    freed = assumed_.size() < before;
  }
  if (freed) news_.tell(/*for_others=*/true);
}

/// What is wanted has a lock of its own, so that this needs none.
bool Picture::has_wanted() const { return state_.groups.has_wanted(); }

void Picture::settle() {
  if (!has_wanted()) return;
  const WriteLock lock(mutex_);
  state_.groups.keep_wanted();
}

std::chrono::system_clock::time_point Picture::changed() const {
  const Reader reader(*this);
  return reader.changed();
}

}  // namespace winnow
