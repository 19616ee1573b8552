#include "extender/calls/wait_for_news.h"

namespace winnow {

void wait_for_news(const Serving& serving, News::Count seen, std::chrono::steady_clock::time_point until,
                   const Decisions& decisions, Turns& turns) {
  // Decisions::replace() exchanges the serving, and then counts news in the old picture. If that news is
  // already part of `seen`, no more will come. In that case the serving is no longer the one in force.
  if (!decisions.is_current(serving)) return;
  turns.give_back();
  serving.picture->news().wait_beyond(seen, until);
  turns.take();
}

}  // namespace winnow
