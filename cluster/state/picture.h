// One state, one writer, many readers.
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

/// A shared lock that prefers the writer. std::shared_mutex prefers readers with glibc: a few busy readers
/// can hold a writer off for seconds. Meets the standard's SharedLockable; not recursive.
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

/// A state shared between threads. Readers hold the lock for one request; the writer applies events in short
/// batches. Thread-safe.
class Picture {
 public:
  explicit Picture(State::Options options) : state_(options) {}

  /// Read access for as long as the guard lives. Clang does not follow locks that are members: what reads the
  /// picture here does so because lock_ is held from the first to the last.
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
  bool has_wanted() const WINNOW_NOT_CHECKED;

  mutable WriterFirstMutex mutex_;
  State state_ WINNOW_GUARDED_BY(mutex_);
  AssumedPods assumed_ WINNOW_GUARDED_BY(mutex_){state_};
  std::chrono::system_clock::time_point changed_ WINNOW_GUARDED_BY(mutex_){};
  News news_;
};

}  // namespace winnow
