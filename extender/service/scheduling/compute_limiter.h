// The limit of calls that compute at once, the time to hold the cache, and the wait of a held call.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <semaphore>

#include "cluster/state/cluster_cache.h"

namespace winnow {

class Budget;
class DecisionLock;
struct ActiveConfig;

/// A semaphore for calls that compute. With --enable-bind there are many more threads than cores, so a call
/// takes a permit before it computes. A permit is taken before all locks. Thread-safe.
class ComputeLimiter {
 public:
  /// @param count  the number of permits; 0: unlimited.
  explicit ComputeLimiter(std::size_t count) {
    if (count > 0) free_ = std::make_unique<std::counting_semaphore<>>(static_cast<std::ptrdiff_t>(count));
  }

  void take() {
    if (free_) free_->acquire();
  }
  void give_back() {
    if (free_) free_->release();
  }

 private:
  std::unique_ptr<std::counting_semaphore<>> free_;  ///< Null: unlimited.
};

/// A guard that holds one permit while it lives.
class Permit {
 public:
  /// @param limiter  must outlive this guard.
  explicit Permit(ComputeLimiter& limiter) : limiter_(limiter) { limiter_.take(); }
  ~Permit() { limiter_.give_back(); }
  Permit(const Permit&) = delete;
  Permit& operator=(const Permit&) = delete;

 private:
  ComputeLimiter& limiter_;
};

// The time for work that holds the cache.

/// The longest time that a watch event waits for one call. Ordinary calls take some milliseconds. A pod with
/// thousands of terms may take its whole request time, and the cache would stand still meanwhile, for all.
inline constexpr std::chrono::milliseconds kWriterWaits{1000};

/// The budget of a call for work that holds the cache locked for reading. It is over when `whole` is over.
/// It is over too when a writer has waited for `longest` and the calling thread has computed for half of
/// that. Computing counts from the budget's first question, which comes after 50 ms or more. So a call that
/// gets no processor, on a machine that is too busy, is not taken for one that computes long.
/// @param cache, whole  outlive the result. @param whole  null: unlimited, and so is the result.
std::unique_ptr<const Budget> reading_time(const ClusterCache& cache, const Budget* whole,
                                           std::chrono::milliseconds longest = kWriterWaits);

// The wait of a call that is held.

/// Waits until the cache has news, the active configuration is replaced, or `until` has come. Other calls may
/// compute meanwhile. The caller holds no lock, neither the cache's nor `deciding_`. It holds a permit, which
/// is returned during the wait and taken again afterwards. Returns at once if `active` is no longer the
/// configuration in force.
/// @param seen  the cache's count of news before the caller looked at it. Later news ends the wait.
/// @param until  the time at which the caller looks again in any case.
void wait_for_news(const ActiveConfig& active, ChangeNotifier::Count seen,
                   std::chrono::steady_clock::time_point until, const DecisionLock& decisions,
                   ComputeLimiter& limiter);

}  // namespace winnow
