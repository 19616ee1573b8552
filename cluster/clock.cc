#include "cluster/clock.h"

#include <algorithm>
#include <condition_variable>

#include "cluster/mutex.h"

namespace winnow::live {
namespace {

/// The longest wait. Longer ones would overflow the clock's numbers.
constexpr Clock::Duration kLongest = std::chrono::hours(24 * 365);

class SystemClock final : public Clock {
 public:
  Time now() const override { return std::chrono::steady_clock::now(); }

  bool sleep(Duration duration, const std::stop_token& stop) override {
    Mutex mutex;
    std::condition_variable_any never_notified;
    const MutexLock lock(mutex);
    never_notified.wait_for(mutex, stop, std::min(duration, kLongest), [] { return false; });
    return !stop.stop_requested();
  }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace winnow::live
