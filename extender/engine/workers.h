// The helper threads, which share the work of one request.
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

/// Runs a loop in chunks, on the calling thread and on helper threads. Each chunk is given out once, so every
/// slot that chunks write has one writer and needs no lock. Thread-safe. While one caller has the helpers,
/// another caller runs its loop alone, which is no slower than waiting.
class Workers {
 public:
  using Chunk = std::function<void(std::size_t begin, std::size_t end)>;

  /// @param helpers  the number of threads to start. With 0 everything runs on the calling thread.
  explicit Workers(unsigned helpers);
  ~Workers();
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// Calls work(begin, end) for [0, n) in chunks of at most `grain`, and returns when all are done. A single
  /// chunk runs on the calling thread. An exception of `work` (out of memory) is thrown here when all chunks
  /// have ended.
  void for_each_chunk(std::size_t n, std::size_t grain, const Chunk& work);

 private:
  void help();
  void take_chunks(std::unique_lock<std::mutex>& lock);

  /// Set while a caller has the helpers. It is no mutex, because that caller may call again from its loop.
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
