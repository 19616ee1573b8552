#include "extender/authorization/review_threads.h"

#include <exception>
#include <utility>

namespace winnow {

ReviewThreads::ReviewThreads(std::size_t at_once) {
  for (std::size_t i = 0; i < at_once; ++i)
    threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
}

void ReviewThreads::add(Job job, bool urgent) {
  const MutexLock lock(mutex_);
  (urgent ? urgent_ : jobs_).push_back(std::move(job));
  added_.notify_one();
}

void ReviewThreads::work(const std::stop_token& stop) {
  while (true) {
    Job job;
    {
      const MutexLock lock(mutex_);
      const auto any = [this]() WINNOW_REQUIRES(mutex_) { return !urgent_.empty() || !jobs_.empty(); };
      if (!added_.wait(mutex_, stop, any) || stop.stop_requested()) return;
      std::deque<Job>& first = urgent_.empty() ? jobs_ : urgent_;
      job = std::move(first.front());
      first.pop_front();
    }
    try {
      job(stop);
    } catch (const std::exception&) {  // Out of memory. The thread stays for other jobs.
    }
  }
}

}  // namespace winnow
