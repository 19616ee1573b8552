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
    // Nothing of this allocates: it is the pause of whoever has run out of memory.
    Mutex mutex;
    std::condition_variable stopped;
    const std::stop_callback wake(stop, [&] {
      const MutexLock lock(mutex);
      stopped.notify_all();
    });
    const Time until = now() + std::min(duration, kLongest);
    const MutexLock lock(mutex);
    while (!stop.stop_requested() && mutex.wait_until(stopped, until)) {
    }
    return !stop.stop_requested();
  }
};

}  // namespace

Clock& system_clock() {
  static SystemClock clock;
  return clock;
}

}  // namespace winnow::live
