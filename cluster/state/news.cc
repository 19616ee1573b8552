#include "cluster/state/news.h"

namespace winnow {

void News::tell(bool for_others) {
  {
    const MutexLock lock(mutex_);
    ++count_.all;
    if (for_others) ++count_.for_others;
  }
  told_.notify_all();
}

News::Count News::count() const {
  const MutexLock lock(mutex_);
  return count_;
}

void News::wait_beyond(Count seen, Time until) const {
  const MutexLock lock(mutex_);
  while (count_.all <= seen.all && mutex_.wait_until(told_, until)) {
  }
}

}  // namespace winnow
