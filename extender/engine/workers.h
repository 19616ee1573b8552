// A few threads that share the work of one request.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace winnow {

/// Runs a loop in chunks, on the calling thread and some helpers. Every chunk is given out once; a slot that
/// a chunk writes has one writer, so the loop body needs no lock. Thread-safe: while one caller has the
/// helpers another runs its loop alone, which is no slower than waiting.
class Workers {
 public:
  using Chunk = std::function<void(std::size_t begin, std::size_t end)>;

  /// @param helpers  threads beside the caller's; 0 runs everything on the caller's.
  explicit Workers(unsigned helpers);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Calls work(begin, end) for [0, n) in chunks of at most `grain`, and returns when all are done.
  /// Everything runs on the caller's thread if there is one chunk only. What `work` throws (memory running
  /// out) is thrown here when all have ended.
  void for_each_chunk(std::size_t n, std::size_t grain, const Chunk& work);

 private:
  void help();
  void take_chunks(std::unique_lock<std::mutex>& lock);

  /// A caller has the helpers. Not a mutex, for that caller may ask again from within its loop.
  std::atomic_flag taken_;
  std::mutex mutex_;
  std::condition_variable start_, done_;
  // Guarded by mutex_: the loop that runs now.
  const Chunk* work_ = nullptr;
  std::size_t next_ = 0, size_ = 0, grain_ = 1;
  std::size_t running_ = 0;  ///< Chunks given out and not yet done.
  std::exception_ptr thrown_;
  bool stopping_ = false;
  std::vector<std::jthread> helpers_;
};

}  // namespace winnow
