// The picture: a state shared by one writer and many readers.
#pragma once

#include <pthread.h>

#include <chrono>
#include <functional>
#include <shared_mutex>

#include "cluster/mutex.h"
#include "cluster/state/assumed_pods.h"
#include "cluster/state/news.h"
#include "cluster/state/state.h"

namespace winnow {

/// A shared lock that prefers the writer. With glibc std::shared_mutex prefers readers: a few busy readers
/// can delay a writer for seconds. It meets the standard's SharedLockable and is not recursive.
class WINNOW_MUTEX_CLASS WriterFirstMutex {
 public:
  WriterFirstMutex();
  ~WriterFirstMutex() { pthread_rwlock_destroy(&lock_); }
  WriterFirstMutex(const WriterFirstMutex&) = delete;
  WriterFirstMutex& operator=(const WriterFirstMutex&) = delete;

  void lock() WINNOW_ACQUIRES() { pthread_rwlock_wrlock(&lock_); }
  void unlock() WINNOW_RELEASES() { pthread_rwlock_unlock(&lock_); }
  void lock_shared() WINNOW_ACQUIRES_SHARED() { pthread_rwlock_rdlock(&lock_); }
  void unlock_shared() WINNOW_RELEASES_SHARED() { pthread_rwlock_unlock(&lock_); }

 private:
  pthread_rwlock_t lock_;
};

/// A state with its assumed pods, their lock and their news. Readers hold the lock for one request. The
/// writer applies events in short batches. Thread-safe.
class Picture {
 public:
  explicit Picture(State::Options options) : state_(options) {}

  /// Shared access to the state for the guard's lifetime. A thread must not hold two of one picture. Clang
  /// does not follow a lock that is a member, so it does not check what reads here.
  class Reader {
   public:
    explicit Reader(const Picture& picture) : lock_(picture.mutex_), picture_(picture) {}
    const State& operator*() const WINNOW_NOT_CHECKED { return picture_.state_; }
    const State* operator->() const WINNOW_NOT_CHECKED { return &picture_.state_; }
    std::chrono::system_clock::time_point changed() const WINNOW_NOT_CHECKED { return picture_.changed_; }
    const AssumedPods& assumed() const WINNOW_NOT_CHECKED { return picture_.assumed_; }

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
  bool has_wanted() const WINNOW_NOT_CHECKED;

  mutable WriterFirstMutex mutex_;
  State state_ WINNOW_GUARDED_BY(mutex_);
  AssumedPods assumed_ WINNOW_GUARDED_BY(mutex_){state_};
  std::chrono::system_clock::time_point changed_ WINNOW_GUARDED_BY(mutex_){};
  News news_;
};

}  // namespace winnow
