// The threads that wait for reviews, so that no thread of a listener does.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

#include "cluster/mutex.h"

namespace winnow {

/// Runs jobs in the order in which they come, some at once; urgent ones go before others. Thread-safe.
class ReviewThreads {
 public:
  /// @param stop  is requested when the threads are to end. A job that throws ends.
  using Job = std::function<void(const std::stop_token& stop)>;

  /// @param at_once  how many jobs run at once, each on a thread.
  explicit ReviewThreads(std::size_t at_once);
  /// Ends the jobs that run. Those that wait are dropped.
  ~ReviewThreads() = default;
  ReviewThreads(const ReviewThreads&) = delete;
  ReviewThreads& operator=(const ReviewThreads&) = delete;

  void add(Job job, bool urgent = false);

 private:
  void work(const std::stop_token& stop);

  Mutex mutex_;
  std::condition_variable_any added_;
  std::deque<Job> urgent_ WINNOW_GUARDED_BY(mutex_), jobs_ WINNOW_GUARDED_BY(mutex_);
  std::vector<std::jthread> threads_;  ///< Last member, so that they end first.
};

}  // namespace winnow
