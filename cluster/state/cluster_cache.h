// ClusterCache: a state shared by one writer and many readers; and the counter of its changes.
#pragma once

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <shared_mutex>

#include "cluster/api/generation.h"
#include "cluster/function_ref.h"
#include "cluster/mutex.h"

namespace winnow {

class AssumedPods;
class Journal;
class State;

/// The counts of changes that may alter an answer. They come from the watch, from assumed pods that leave a
/// node, and from a replaced active configuration. Thread-safe.
class ChangeNotifier {
 public:
  using Time = std::chrono::steady_clock::time_point;

  /// Counts one change and wakes the waiting threads. A change is a new or changed object in the cache, or
  /// a new way to judge it. The caller must not hold the cache's lock.
  /// @param for_others  whether the change may let another waiting pod fit; kube-scheduler retries such pods
  ///   for it. False only for a pod without a node or a nomination: it matters to that pod alone.
  void tell(bool for_others);

  /// `all` counts every change, `for_others` those told with for_others.
  struct Count {
    std::uint64_t all = 0;
    std::uint64_t for_others = 0;
  };
  Count count() const;
  /// Waits until `all` is above that of `seen`, or until the time.
  void wait_beyond(Count seen, Time until) const;

 private:
  mutable Mutex mutex_;
  mutable std::condition_variable told_;
  Count count_ WINNOW_GUARDED_BY(mutex_);
};

// The cache: a state shared by one writer and many readers.

/// A shared lock that prefers the writer. With glibc std::shared_mutex prefers readers: a few busy readers
/// can delay a writer for seconds. It meets the standard's SharedLockable and is not recursive. It knows how
/// long a writer has waited for readers.
class WINNOW_MUTEX_CLASS WriterFirstMutex {
 public:
  WriterFirstMutex();
  ~WriterFirstMutex() { pthread_rwlock_destroy(&lock_); }
  WriterFirstMutex(const WriterFirstMutex&) = delete;
  WriterFirstMutex& operator=(const WriterFirstMutex&) = delete;

  void lock() WINNOW_ACQUIRES();
  void unlock() WINNOW_RELEASES() { pthread_rwlock_unlock(&lock_); }
  void lock_shared() WINNOW_ACQUIRES_SHARED() { pthread_rwlock_rdlock(&lock_); }
  void unlock_shared() WINNOW_RELEASES_SHARED() { pthread_rwlock_unlock(&lock_); }

  /// How long a writer has waited by now; 0: none waits. Where several wait, it may be that of a later one.
  std::chrono::steady_clock::duration writer_waits() const;

 private:
  pthread_rwlock_t lock_;
  std::atomic<std::chrono::steady_clock::rep> waits_since_ = 0;  ///< 0: no writer waits.
};

/// Thrown where a cache is needed that was lost, and is being filled again.
class CacheLost : public std::exception {
 public:
  const char* what() const noexcept override {
    return "the picture of the cluster was lost, and is being read again";
  }
};

/// A state with its assumed pods, their lock and their news. Readers hold the lock for one request. The
/// writer applies events in short batches. Thread-safe.
///
/// A write that throws, as for want of memory, leaves an event half applied. Then the cache is lost: it is
/// emptied under the same lock, and only the assumed pods stay. It is whole again when every source has
/// listed its objects.
class ClusterCache {
 public:
  using Time = std::chrono::steady_clock::time_point;

  explicit ClusterCache(StateOptions options);
  ~ClusterCache();

  /// Shared access to the state for the guard's lifetime. A thread must not hold two of one cache. Clang
  /// does not follow a lock that is a member, so it does not check what reads here.
  class ReadGuard {
   public:
    explicit ReadGuard(const ClusterCache& cache) WINNOW_NOT_CHECKED;
    const State& operator*() const { return state_; }
    const State* operator->() const { return &state_; }
    Time changed() const WINNOW_NOT_CHECKED { return cache_.changed_; }
    const AssumedPods& assumed() const { return assumed_; }
    /// False between a loss and the last list that follows it. An answer from the cache would be wrong.
    bool whole() const WINNOW_NOT_CHECKED { return cache_.awaited_ == 0; }

   private:
    std::shared_lock<WriterFirstMutex> lock_;
    const ClusterCache& cache_;
    const State& state_;
    const AssumedPods& assumed_;
  };
  ReadGuard read() const { return ReadGuard(*this); }

  /// How long a writer has waited for readers; 0: none waits. Of use to a reader that takes long.
  std::chrono::steady_clock::duration writer_waits() const { return mutex_.writer_waits(); }

  /// Applies events under the exclusive lock. If `events` throws, the cache is lost, and the exception is
  /// passed on.
  void write(FunctionRef<void(State&)> events);
  /// The same for events of pods, from the watch or from a call. An assumption that ends is told as news.
  void write_pods(FunctionRef<void(AssumedPods&)> events);
  /// The counter that calls wait for. The writer of watch events calls ChangeNotifier::tell() itself, after
  /// the write.
  ChangeNotifier& news() { return news_; }

  /// Sets who is told each change; null: nobody. To be called before anything is written, or read by others.
  void set_journal(std::shared_ptr<Journal> journal);
  /// Null: nobody is told. The writer of objects other than pods tells it, within the write.
  Journal* journal() const { return journal_.get(); }

  // For sources. A source fills the cache with the objects of one kind, list by list.
  /// Adds a source, before it writes anything.
  void add_source();
  /// The number of losses so far. What a source has written in an earlier epoch is gone. The epoch does not
  /// change during a write.
  std::uint64_t epoch() const { return epoch_; }
  /// Notes, during a write, that a source has listed for the first time in this epoch.
  void source_listed() WINNOW_NOT_CHECKED;
  /// Sets the function that has all sources list again; null: none. It is called with the cache locked, and
  /// must not throw.
  void on_loss(std::function<void()> list_again);

  /// Starts to keep the selector classes that requests have asked for first. Cheap if there are none. Call it
  /// after a request; the calling thread must not hold a ReadGuard. If it throws, no class is kept.
  void settle();

  /// The time of the last write, of an event or of an assumed pod; of the constructor before the first.
  Time changed() const;

 private:
  struct Content;

  template <class Events>
  void apply(const Events& events);
  void lose() noexcept WINNOW_REQUIRES(mutex_);
  /// Puts the spare content in place of the one that is torn, with its assumed pods, which are placed
  /// nowhere.
  void drop_content() noexcept WINNOW_REQUIRES(mutex_);
  /// Places the assumed pods, and makes a spare content.
  void recover() WINNOW_REQUIRES(mutex_);

  const StateOptions options_;
  std::shared_ptr<Journal> journal_;
  mutable WriterFirstMutex mutex_;
  std::unique_ptr<Content> content_ WINNOW_GUARDED_BY(mutex_);
  /// An empty one: a loss for want of memory cannot allocate. Null only until recover().
  std::unique_ptr<Content> spare_ WINNOW_GUARDED_BY(mutex_);
  bool is_recovered_ WINNOW_GUARDED_BY(mutex_) = true;  ///< recover() has succeeded since the last loss.
  std::size_t sources_ WINNOW_GUARDED_BY(mutex_) = 0;   ///< All that were added.
  std::size_t awaited_ WINNOW_GUARDED_BY(mutex_) = 0;   ///< Those that have not listed since the last loss.
  std::atomic<std::uint64_t> epoch_ = 0;
  std::function<void()> list_again_ WINNOW_GUARDED_BY(mutex_);
  Time changed_ WINNOW_GUARDED_BY(mutex_) = std::chrono::steady_clock::now();
  ChangeNotifier news_;
};

}  // namespace winnow
