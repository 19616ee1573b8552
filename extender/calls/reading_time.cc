#include "extender/calls/reading_time.h"

#include <pthread.h>

#include <ctime>

namespace winnow {
namespace {

/// The processor time of the thread that makes it, for any thread to read while that one lives.
class ComputingTime {
 public:
  ComputingTime() : known_(pthread_getcpuclockid(pthread_self(), &clock_) == 0), start_(now()) {}
  std::chrono::nanoseconds since_start() const { return now() - start_; }

 private:
  std::chrono::nanoseconds now() const {
    timespec time{};
    if (known_) clock_gettime(clock_, &time);
    return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
  }

  clockid_t clock_{};
  bool known_;
  std::chrono::nanoseconds start_;
};

}  // namespace

std::unique_ptr<const Budget> reading_time(const Picture& picture, const Budget* whole,
                                           std::chrono::milliseconds longest) {
  if (!whole) return nullptr;
  // The budget asks seldom, so that this costs a call little.
  return std::make_unique<const Budget>(
      whole->deadline(), [&picture, whole, longest, computing = ComputingTime()] {
        if (whole->is_over()) return true;
        return picture.writer_waits() > longest && computing.since_start() > longest / 2;
      });
}

}  // namespace winnow
