#include "extender/catch_up/late_remarks.h"

#include <algorithm>

namespace winnow {

bool LateRemarks::may_tell(bool has_sign, Time now) {
  const MutexLock lock(mutex_);
  const std::chrono::duration<double> since = now - counted_;
  left_ = std::min(kAtOnce, left_ + std::max(0.0, since.count()) * kPerSecond);
  counted_ = now;
  if (left_ < (has_sign ? 1 : kAtOnce / 2 + 1)) return false;
  --left_;
  ++told_;
  return true;
}

std::uint64_t LateRemarks::told() const {
  const MutexLock lock(mutex_);
  return told_;
}

std::string LateRemarks::remark(std::uint64_t attempt, std::string_view held) {
  const std::string_view cause = held.empty() ? "Winnow's watch may be late" : held;
  return std::string(" (attempt ").append(std::to_string(attempt)).append("; ").append(cause).append(")");
}

}  // namespace winnow
