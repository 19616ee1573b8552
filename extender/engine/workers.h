// The helper threads, which share the work of one request.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

#include "cluster/function_ref.h"
#include "cluster/mutex.h"

namespace winnow {

class MemoryBudget;

/// Runs a loop in chunks, on the calling thread and on helper threads. Each chunk is given out once, so every
/// slot that chunks write has one writer and needs no lock. Thread-safe. While one caller has the helpers,
/// another caller runs its loop alone, which is no slower than waiting.
class Workers {
 public:
  using Chunk = FunctionRef<void(std::size_t begin, std::size_t end)>;

  /// While one lives, the loops of its thread run on that thread alone: the helpers are for more urgent work.
  /// They do not nest.
  class Alone {
   public:
    Alone() { is_alone_ = true; }
    ~Alone() { is_alone_ = false; }
    Alone(const Alone&) = delete;
    Alone& operator=(const Alone&) = delete;
  };

  /// @param helpers  the number of threads to start. With 0 everything runs on the calling thread.
  explicit Workers(unsigned helpers);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Calls work(begin, end) for [0, n) in chunks of at most `grain`, and returns when all are done. A single
  /// chunk runs on the calling thread. An exception of `work` (out of memory) is thrown here when all chunks
  /// have ended. What helpers allocate is charged to the caller's budget (MemoryScope).
  void for_each_chunk(std::size_t n, std::size_t grain, const Chunk& work);

 private:
  void help();
  void take_chunks() WINNOW_REQUIRES(mutex_);

  static inline thread_local bool is_alone_ = false;
  /// Set while a caller has the helpers. It is no mutex, because that caller may call again from its loop.
  std::atomic_flag taken_;
  Mutex mutex_;
  std::condition_variable start_, done_;
  // The loop that runs now.
  const Chunk* work_ WINNOW_GUARDED_BY(mutex_) = nullptr;
  MemoryBudget* budget_ WINNOW_GUARDED_BY(mutex_) = nullptr;
  std::size_t next_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::size_t size_ WINNOW_GUARDED_BY(mutex_) = 0;
  std::size_t grain_ WINNOW_GUARDED_BY(mutex_) = 1;
  std::size_t running_ WINNOW_GUARDED_BY(mutex_) = 0;  ///< Chunks given out and not yet done.
  std::exception_ptr thrown_ WINNOW_GUARDED_BY(mutex_);
  bool stopping_ WINNOW_GUARDED_BY(mutex_) = false;
  std::vector<std::jthread> helpers_;
};

}  // namespace winnow
