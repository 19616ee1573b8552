// A mutex whose use clang checks, and the macros that say what it guards.
//
// The check is clang's -Wthread-safety, which `make check` runs. Other compilers see plain classes and empty
// macros. See https://clang.llvm.org/docs/ThreadSafetyAnalysis.html.
#pragma once

#include <condition_variable>
#include <mutex>

#if defined(__clang__)
#define WINNOW_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define WINNOW_THREAD_SAFETY(attribute)
#endif

/// A data member that is only used with the mutex held.
#define WINNOW_GUARDED_BY(mutex) WINNOW_THREAD_SAFETY(guarded_by(mutex))
/// A function, or a lambda, that is only called with the mutex held.
#define WINNOW_REQUIRES(mutex) WINNOW_THREAD_SAFETY(requires_capability(mutex))
/// A function that is not checked. A comment beside it says why it is right.
#define WINNOW_NOT_CHECKED WINNOW_THREAD_SAFETY(no_thread_safety_analysis)

// For the classes of mutexes and locks themselves.
#define WINNOW_MUTEX_CLASS WINNOW_THREAD_SAFETY(capability("mutex"))
#define WINNOW_LOCK_CLASS WINNOW_THREAD_SAFETY(scoped_lockable)
#define WINNOW_ACQUIRES(...) WINNOW_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define WINNOW_RELEASES(...) WINNOW_THREAD_SAFETY(release_capability(__VA_ARGS__))
#define WINNOW_ACQUIRES_SHARED(...) WINNOW_THREAD_SAFETY(acquire_shared_capability(__VA_ARGS__))
#define WINNOW_RELEASES_SHARED(...) WINNOW_THREAD_SAFETY(release_shared_capability(__VA_ARGS__))

namespace winnow {

/// A std::mutex that clang knows. Meets the standard's BasicLockable, so that a std::condition_variable_any
/// waits on it.
class WINNOW_MUTEX_CLASS Mutex {
 public:
  void lock() WINNOW_ACQUIRES() { mutex_.lock(); }
  void unlock() WINNOW_RELEASES() { mutex_.unlock(); }

  /// Waits until `condition` is notified, or without a reason. The caller holds the mutex, and holds it again
  /// afterwards.
  void wait(std::condition_variable& condition) WINNOW_REQUIRES(this) {
    std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
    condition.wait(lock);
    lock.release();
  }
  /// The same, at most until that time. @return false when the time has come.
  template <typename Time>
  bool wait_until(std::condition_variable& condition, Time time) WINNOW_REQUIRES(this) {
    std::unique_lock<std::mutex> lock(mutex_, std::adopt_lock);
    const bool notified = condition.wait_until(lock, time) == std::cv_status::no_timeout;
    lock.release();
    return notified;
  }

 private:
  std::mutex mutex_;
};

/// Holds a mutex for as long as it lives.
class WINNOW_LOCK_CLASS MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) WINNOW_ACQUIRES(mutex) : mutex_(mutex) { mutex_.lock(); }
  ~MutexLock() WINNOW_RELEASES() { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

}  // namespace winnow
