#include "cluster/servers/backoff.h"

#include <algorithm>

namespace winnow::live {

Clock::Duration Backoff::next(Clock::Time now) {
  if (until_ != Clock::Time::min() && now - until_ > kReset) base_ = kFirst;
  const auto jitter = std::chrono::milliseconds(
      static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(base_.count())));
  const auto wait = base_ + jitter;
  base_ = std::min(base_ * 2, kCap);
  until_ = now + wait;
  return wait;
}

}  // namespace winnow::live
