// How a call that is held waits.
#pragma once

#include <chrono>

#include "cluster/state/news.h"
#include "extender/calls/decisions.h"
#include "extender/calls/serving.h"
#include "extender/calls/turns.h"

namespace winnow {

/// Waits until the picture has news, or until there is another serving. Another call may compute meanwhile.
/// The caller holds nothing of the picture and does not decide; it has a turn, and has it again afterwards.
/// @param seen  the picture's count when the caller looked at it: what has come since then is not waited for.
/// @param until  when to look again in any case.
void wait_for_news(const Serving& serving, News::Count seen, std::chrono::steady_clock::time_point until,
                   const Decisions& decisions, Turns& turns);

}  // namespace winnow
