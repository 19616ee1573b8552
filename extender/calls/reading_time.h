// The time for work that holds the picture.
#pragma once

#include <chrono>
#include <memory>

#include "cluster/rule/budget.h"
#include "cluster/state/picture.h"

namespace winnow {

/// The longest time that a watch event waits for one call. Ordinary calls take some milliseconds. A pod with
/// thousands of terms may take its whole request time, and the picture would stand still meanwhile, for all.
inline constexpr std::chrono::milliseconds kWriterWaits{1000};

/// The budget of a call for work that holds the picture locked for reading. It is over when `whole` is over.
/// It is over too when a writer has waited for `longest` and the calling thread has computed for half of
/// that. Computing counts from the budget's first question, which comes after 50 ms or more. So a call that
/// gets no processor, on a machine that is too busy, is not taken for one that computes long.
/// @param picture, whole  outlive the result. @param whole  null: unlimited, and so is the result.
std::unique_ptr<const Budget> reading_time(const Picture& picture, const Budget* whole,
                                           std::chrono::milliseconds longest = kWriterWaits);

}  // namespace winnow
