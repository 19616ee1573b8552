// The wait of a call that is held.
#pragma once

#include <chrono>

#include "cluster/state/news.h"
#include "extender/calls/decisions.h"
#include "extender/calls/serving.h"
#include "extender/calls/turns.h"

namespace winnow {

/// Waits until the picture has news, the serving is replaced, or `until` has come. Other calls may compute
/// meanwhile. The caller holds no lock, neither the picture's nor `deciding_`. It holds a turn, which is
/// returned during the wait and taken again afterwards. Returns at once if the serving is no longer the one
/// in force.
/// @param seen  the picture's count of news before the caller looked at it. Later news ends the wait.
/// @param until  the time at which the caller looks again in any case.
void wait_for_news(const Serving& serving, News::Count seen, std::chrono::steady_clock::time_point until,
                   const Decisions& decisions, Turns& turns);

}  // namespace winnow
