#include "extender/calls/wait_for_news.h"

namespace winnow {

void wait_for_news(const Serving& serving, News::Count seen, std::chrono::steady_clock::time_point until,
                   const Decisions& decisions, Turns& turns) {
  // A serving is replaced first, and its picture tells so afterwards. Where the telling is among what was
  // seen already, nothing more would come; but then the serving is not the one of now.
  if (!decisions.is_current(serving)) return;
  turns.give_back();
  serving.picture->news().wait_beyond(seen, until);
  turns.take();
}

}  // namespace winnow
