#include "extender/nominate/fate.h"

#include <algorithm>
#include <cstddef>

namespace winnow {
namespace fate_table {

using enum Stage;
using enum Assumption;
using H = Happening;
using O = NominationOutcome;

constexpr std::optional<O> kNoOutcome{};

constexpr Fate kFates[] = {
    // Nothing of ours is on the API. A pod that goes is forgotten.
    {kLeft, H::kBoundElsewhere, kOver, kStays, kNoOutcome},
    {kLeft, H::kGone, kOver, kStays, kNoOutcome},
    {kLeft, H::kFreed, kQueued, kStays, kNoOutcome},
    {kLeft, H::kFoundOurs, kFound, kStays, kNoOutcome},
    {kQueued, H::kBoundElsewhere, kOver, kStays, kNoOutcome},
    {kQueued, H::kGone, kOver, kStays, kNoOutcome},
    {kQueued, H::kTaken, kLeft, kStays, kNoOutcome},
    {kQueued, H::kFoundOurs, kFound, kStays, kNoOutcome},
    {kQueued, H::kChanged, kQueued, kStays, kNoOutcome},

    // A write is on its way. What the watch says of nominations meanwhile is left to the writer's result.
    {kWriting, H::kBoundThere, kOver, kStays, O::kFollowed},
    {kWriting, H::kBoundElsewhere, kOver, kStays, O::kElsewhere},
    // A pod that is being deleted has neither a node nor an end: AssumedPods keeps it.
    {kWriting, H::kGone, kOver, kReleased, O::kPodGone},
    {kWriting, H::kWritten, kStanding, kStays, kNoOutcome},
    {kWriting, H::kWroteNothing, kQueued, kStays, kNoOutcome},
    // The watch will tell the same, and confirm the assumption.
    {kWriting, H::kFoundThere, kEnded, kStays, O::kFollowed},
    {kWriting, H::kFoundElsewhere, kEnded, kReleased, O::kElsewhere},
    {kWriting, H::kFoundGone, kEnded, kReleased, O::kPodGone},
    {kWriting, H::kOverruled, kLeft, kReleased, O::kOverruled},
    {kWriting, H::kRejected, kQueued, kReleased, O::kRejected, false, true},
    {kWriting, H::kDenied, kQueued, kReleased, O::kDenied, false, true},
    // A place freed too early would be given to two pods.
    {kWriting, H::kUnclear, kStanding, kStays, kNoOutcome},
    {kWriting, H::kNotSent, kQueued, kReleased, O::kNotLeading},

    {kStanding, H::kBoundThere, kOver, kStays, O::kFollowed},
    {kStanding, H::kBoundElsewhere, kOver, kStays, O::kElsewhere},
    {kStanding, H::kGone, kOver, kReleased, O::kPodGone},
    {kStanding, H::kRefused, kQueued, kReleased, O::kRefused, true, true},
    {kStanding, H::kCleared, kQueued, kReleased, O::kCleared, false, true},
    {kStanding, H::kTaken, kLeft, kReleased, O::kOverruled},
    {kStanding, H::kFoundOurs, kFound, kReleased, O::kOverruled},
    // The nomination stays on the API until the next decision, which overwrites it.
    {kStanding, H::kChanged, kQueued, kReleased, O::kPodChanged},
    {kStanding, H::kNoLongerFits, kQueued, kReleased, O::kNoLongerFits, false, true},
    {kStanding, H::kLeftOut, kQueued, kReleased, O::kLeftOut},
    {kStanding, H::kUnfollowed, kQueued, kReleased, O::kUnfollowed, true, true},
    {kStanding, H::kPassedOver, kQueued, kReleased, O::kUnfollowed, false, true},
    {kStanding, H::kGateStays, kQueued, kReleased, O::kRejected, false, true},
    {kStanding, H::kNotThere, kQueued, kReleased, O::kCleared},

    // Counted by the process that made the nomination, as far as it lives.
    {kFound, H::kBoundThere, kOver, kStays, kNoOutcome},
    {kFound, H::kBoundElsewhere, kOver, kStays, kNoOutcome},
    {kFound, H::kGone, kOver, kStays, kNoOutcome},
    {kFound, H::kRefused, kQueued, kStays, kNoOutcome},
    {kFound, H::kCleared, kQueued, kStays, kNoOutcome},
    {kFound, H::kTaken, kLeft, kStays, kNoOutcome},
    {kFound, H::kFoundOurs, kFound, kStays, kNoOutcome},
    {kFound, H::kAdopted, kStanding, kMade, kNoOutcome},

    // Counted when the API told. A pod that was forgotten then would be taken for a new one by an older
    // event.
    {kEnded, H::kBoundThere, kOver, kStays, kNoOutcome},
    {kEnded, H::kBoundElsewhere, kOver, kStays, kNoOutcome},
    {kEnded, H::kGone, kOver, kStays, kNoOutcome},
    {kEnded, H::kFreed, kQueued, kStays, kNoOutcome},
};

}  // namespace fate_table

std::span<const Fate> fates() { return fate_table::kFates; }

const Fate* fate_of(Stage stage, Happening happening) {
  const auto row = std::ranges::find_if(
      fates(), [&](const Fate& fate) { return fate.stage == stage && fate.happening == happening; });
  return row == fates().end() ? nullptr : &*row;
}

std::string_view to_string(Stage stage) {
  constexpr std::string_view kTexts[] = {"left", "queued", "writing", "standing", "found", "ended", "over"};
  return kTexts[static_cast<std::size_t>(stage)];
}

std::string_view to_string(Happening happening) {
  constexpr std::string_view kTexts[] = {
      "bound_there",     "bound_elsewhere", "gone",      "refused",    "cleared",       "taken",
      "found_ours",      "freed",           "changed",   "written",    "wrote_nothing", "found_there",
      "found_elsewhere", "found_gone",      "overruled", "rejected",   "denied",        "unclear",
      "not_sent",        "no_longer_fits",  "left_out",  "unfollowed", "passed_over",   "gate_stays",
      "not_there",       "adopted"};
  return kTexts[static_cast<std::size_t>(happening)];
}

}  // namespace winnow
