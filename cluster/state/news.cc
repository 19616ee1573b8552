#include "cluster/state/news.h"

namespace winnow {

void News::tell(bool for_others) {
  {
    const std::lock_guard lock(mutex_);
    ++count_.all;
    if (for_others) ++count_.for_others;
  }
  told_.notify_all();
}

News::Count News::count() const {
  const std::lock_guard lock(mutex_);
  return count_;
}

void News::wait_beyond(Count seen, Time until) const {
  std::unique_lock lock(mutex_);
  told_.wait_until(lock, until, [&] { return count_.all > seen.all; });
}

}  // namespace winnow
