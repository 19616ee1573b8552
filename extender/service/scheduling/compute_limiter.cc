#include "extender/service/scheduling/compute_limiter.h"

#include <pthread.h>

#include <atomic>
#include <ctime>

#include "cluster/rule/budget.h"
#include "extender/service/scheduling/decision_lock.h"

namespace winnow {
namespace {

/// The processor time that a thread has used since somebody has asked first. That clock costs a system call,
/// so a call that ends before the budget's first question does not look at it.
class ComputingTime {
 public:
  /// Of the calling thread.
  ComputingTime() : known_(pthread_getcpuclockid(pthread_self(), &clock_) == 0) {}
  ComputingTime(const ComputingTime& other)
      : clock_(other.clock_), known_(other.known_), start_(other.start_.load()) {}
  ComputingTime& operator=(const ComputingTime&) = delete;

  /// For any thread, while the thread lives.
  std::chrono::nanoseconds since_asked() {
    const std::chrono::nanoseconds::rep time = now().count();
    std::chrono::nanoseconds::rep start = kNotAsked;
    return std::chrono::nanoseconds(start_.compare_exchange_strong(start, time) ? 0 : time - start);
  }

 private:
  static constexpr std::chrono::nanoseconds::rep kNotAsked = -1;

  std::chrono::nanoseconds now() const {
    timespec time{};
    if (known_) clock_gettime(clock_, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  clockid_t clock_{};
  bool known_;
  std::atomic<std::chrono::nanoseconds::rep> start_ = kNotAsked;
};

}  // namespace

std::unique_ptr<const Budget> reading_time(const ClusterCache& cache, const Budget* whole,
                                           std::chrono::milliseconds longest) {
  if (!whole) return nullptr;
  // The budget asks seldom, and first after 50 ms, so that this costs a call little.
  return std::make_unique<const Budget>(whole->deadline(),
                                        [&cache, whole, longest, computing = ComputingTime()]() mutable {
                                          if (whole->is_over()) return true;
                                          const std::chrono::nanoseconds computed = computing.since_asked();
                                          return cache.writer_waits() > longest && computed > longest / 2;
                                        });
}

void wait_for_news(const ActiveConfig& active, ChangeNotifier::Count seen,
                   std::chrono::steady_clock::time_point until, const DecisionLock& decisions,
                   ComputeLimiter& limiter) {
  // DecisionLock::replace() exchanges the active configuration, and then counts news in the old cache. If
  // that news is already part of `seen`, no more will come. In that case `active` is no longer the
  // configuration in force.
  if (!decisions.is_current(active)) return;
  limiter.give_back();
  active.cache->news().wait_beyond(seen, until);
  limiter.take();
}

}  // namespace winnow
