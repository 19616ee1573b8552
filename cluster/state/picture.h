// One state, one writer, many readers.
#pragma once

#include <pthread.h>

#include <chrono>
#include <functional>
#include <mutex>
#include <shared_mutex>

#include "cluster/state/assumed_pods.h"
#include "cluster/state/news.h"
#include "cluster/state/state.h"

namespace winnow {

/// A shared lock that prefers the writer. std::shared_mutex prefers readers with glibc: a few busy readers
/// can hold a writer off for seconds. Meets the standard's SharedLockable; not recursive.
class WriterFirstMutex {
 public:
  WriterFirstMutex();
  ~WriterFirstMutex() { pthread_rwlock_destroy(&lock_); }
  WriterFirstMutex(const WriterFirstMutex&) = delete;
  WriterFirstMutex& operator=(const WriterFirstMutex&) = delete;

  void lock() { pthread_rwlock_wrlock(&lock_); }
  void unlock() { pthread_rwlock_unlock(&lock_); }
  void lock_shared() { pthread_rwlock_rdlock(&lock_); }
  void unlock_shared() { pthread_rwlock_unlock(&lock_); }

 private:
  pthread_rwlock_t lock_;
};

/// A state shared between threads. Readers hold the lock for one request; the writer applies events in short
/// batches. Thread-safe.
class Picture {
 public:
  explicit Picture(State::Options options) : state_(options) {}

  /// Read access for as long as the guard lives.
  class Reader {
   public:
    explicit Reader(const Picture& picture) : lock_(picture.mutex_), picture_(picture) {}
    const State& operator*() const { return picture_.state_; }
    const State* operator->() const { return &picture_.state_; }
    const AssumedPods& assumed() const { return picture_.assumed_; }

   private:
    std::shared_lock<WriterFirstMutex> lock_;
    const Picture& picture_;
  };
  Reader read() const { return Reader(*this); }

  /// Applies events, alone with the state.
  void write(const std::function<void(State&)>& events);
  /// The same, for what the watch and the service say of pods. A place that is given back is news.
  void write_pods(const std::function<void(AssumedPods&)>& events);
  /// What there is to wait for. Who writes what the watch tells says so, behind the write.
  News& news() { return news_; }

  /// Takes in what requests have asked for first (selector classes). Cheap when there is nothing: call it
  /// after a request, with no Reader held by this thread.
  void settle();

  /// When something was last applied: an event, or a pod assumed or released.
  std::chrono::system_clock::time_point changed() const;

 private:
  mutable WriterFirstMutex mutex_;
  State state_;                                      ///< Guarded by mutex_.
  AssumedPods assumed_{state_};                      ///< Guarded by mutex_.
  std::chrono::system_clock::time_point changed_{};  ///< Guarded by mutex_.
  News news_;
};

}  // namespace winnow
