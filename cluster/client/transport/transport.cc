#include "cluster/client/transport/transport.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace winnow::live {
namespace {

/// Where no descriptor was left for the eventfd, a stop is seen after this long.
constexpr auto kSlice = std::chrono::milliseconds(50);
constexpr auto kLongestWait = std::chrono::milliseconds(3'600'000);

}  // namespace

Deadline::Deadline(Time until, std::stop_token stop) : until_(until), stop_(std::move(stop)) {
  if (!stop_.stop_possible()) return;
  wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake_ < 0) return;
  on_stop_.emplace(stop_, [fd = wake_] { ::eventfd_write(fd, 1); });
}

Deadline::~Deadline() {
  on_stop_.reset();
  if (wake_ >= 0) ::close(wake_);
}

Deadline::End Deadline::check() const {
  if (stop_.stop_requested()) return End::kStopped;
  return std::chrono::steady_clock::now() >= until_ ? End::kTimeout : End::kReady;
}

void Deadline::remind() const {
  if (remind_ && std::chrono::steady_clock::now() >= remind_at_) std::exchange(remind_, nullptr)();
}

Deadline::End Deadline::wait(int fd, short events) const {
  while (true) {
    if (const End end = check(); end != End::kReady) return end;
    remind();
    const Time wakes = remind_ ? std::min(until_, remind_at_) : until_;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(wakes - std::chrono::steady_clock::now());
    const auto longest = wake_ < 0 && stop_.stop_possible() ? kSlice : kLongestWait;
    pollfd waited[2] = {{fd, events, 0}, {wake_, POLLIN, 0}};
    const int ready = ::poll(waited, 2, static_cast<int>(std::clamp(left, {}, longest).count()));
    if (ready > 0 && waited[0].revents != 0 && !stop_.stop_requested()) return End::kReady;
  }
}

}  // namespace winnow::live
