// The picture: a state shared by one writer and many readers.
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

/// A shared lock that prefers the writer. With glibc std::shared_mutex prefers readers: a few busy readers
/// can delay a writer for seconds. It meets the standard's SharedLockable and is not recursive.
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

/// A state with its assumed pods, their lock and their news. Readers hold the lock for one request. The
/// writer applies events in short batches. Thread-safe.
class Picture {
 public:
  explicit Picture(State::Options options) : state_(options) {}

  /// Shared access to the state for the guard's lifetime. A thread must not hold two of one picture.
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

  /// Applies events under the exclusive lock.
  void write(const std::function<void(State&)>& events);
  /// The same for events of pods, from the watch or from a call. An assumption that ends is told as news.
  void write_pods(const std::function<void(AssumedPods&)>& events);
  /// The counter that calls wait for. The writer of watch events calls News::tell() itself, after the write.
  News& news() { return news_; }

  /// Starts to keep the selector classes that requests have asked for first. Cheap if there are none. Call it
  /// after a request; the calling thread must not hold a Reader.
  void settle();

  /// The time of the last write, of an event or of an assumed pod.
  std::chrono::system_clock::time_point changed() const;

 private:
  mutable WriterFirstMutex mutex_;
  State state_;                                      ///< Guarded by mutex_.
  AssumedPods assumed_{state_};                      ///< Guarded by mutex_.
  std::chrono::system_clock::time_point changed_{};  ///< Guarded by mutex_.
  News news_;
};

}  // namespace winnow
