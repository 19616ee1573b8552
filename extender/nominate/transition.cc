#include "extender/nominate/transition.h"

#include <algorithm>

namespace winnow {
namespace {

using enum Stage;
using enum NominationEvent;
using enum Assumption;
using O = NominationOutcome;

/// Nothing of ours is on the API. A pod that goes is forgotten.
constexpr Transition kFromForeign[] = {
    {.on = kBoundElsewhere, .to = kForgotten},
    {.on = kGone, .to = kForgotten},
    {.on = kFreed, .to = kQueued},
    {.on = kFoundOurs, .to = kInherited},
};

constexpr Transition kFromQueued[] = {
    {.on = kBoundElsewhere, .to = kForgotten},
    {.on = kGone, .to = kForgotten},
    {.on = kTaken, .to = kForeign},
    {.on = kFoundOurs, .to = kInherited},
    {.on = kChanged, .to = kQueued},
};

/// What the watch says of nominations meanwhile is left to the writer's result.
constexpr Transition kFromWriting[] = {
    {.on = kBoundThere, .to = kForgotten, .outcome = O::kFollowed},
    {.on = kBoundElsewhere, .to = kForgotten, .outcome = O::kElsewhere},
    // A pod that is being deleted has neither a node nor an end: AssumedPods keeps it.
    {.on = kGone, .to = kForgotten, .assumption = kReleased, .outcome = O::kPodGone},
    {.on = kWritten, .to = kNominated},
    {.on = kWroteNothing, .to = kQueued},
    // The watch will tell the same, and confirm the assumption.
    {.on = kFoundThere, .to = kEnded, .outcome = O::kFollowed},
    {.on = kFoundElsewhere, .to = kEnded, .assumption = kReleased, .outcome = O::kElsewhere},
    {.on = kFoundGone, .to = kEnded, .assumption = kReleased, .outcome = O::kPodGone},
    {.on = kOverruled, .to = kForeign, .assumption = kReleased, .outcome = O::kOverruled},
    {.on = kRejected, .to = kQueued, .assumption = kReleased, .outcome = O::kRejected, .waits = true},
    {.on = kDenied, .to = kQueued, .assumption = kReleased, .outcome = O::kDenied, .waits = true},
    // A place freed too early would be given to two pods.
    {.on = kUnclear, .to = kNominated},
    {.on = kNotSent, .to = kQueued, .assumption = kReleased, .outcome = O::kNotLeading},
};

constexpr Transition kFromNominated[] = {
    {.on = kBoundThere, .to = kForgotten, .outcome = O::kFollowed},
    {.on = kBoundElsewhere, .to = kForgotten, .outcome = O::kElsewhere},
    {.on = kGone, .to = kForgotten, .assumption = kReleased, .outcome = O::kPodGone},
    {.on = kRefused,
     .to = kQueued,
     .assumption = kReleased,
     .outcome = O::kRefused,
     .waits = true,
     .avoids_node = true},
    {.on = kCleared, .to = kQueued, .assumption = kReleased, .outcome = O::kCleared, .waits = true},
    {.on = kTaken, .to = kForeign, .assumption = kReleased, .outcome = O::kOverruled},
    {.on = kFoundOurs, .to = kInherited, .assumption = kReleased, .outcome = O::kOverruled},
    // The nomination stays on the API until the next decision, which overwrites it.
    {.on = kChanged, .to = kQueued, .assumption = kReleased, .outcome = O::kPodChanged},
    {.on = kNoLongerFits, .to = kQueued, .assumption = kReleased, .outcome = O::kNoLongerFits, .waits = true},
    {.on = kLeftOut, .to = kQueued, .assumption = kReleased, .outcome = O::kLeftOut},
    {.on = kUnfollowed,
     .to = kQueued,
     .assumption = kReleased,
     .outcome = O::kUnfollowed,
     .waits = true,
     .avoids_node = true},
    {.on = kPassedOver, .to = kQueued, .assumption = kReleased, .outcome = O::kUnfollowed, .waits = true},
    {.on = kGateStays, .to = kQueued, .assumption = kReleased, .outcome = O::kRejected, .waits = true},
    {.on = kNotThere, .to = kQueued, .assumption = kReleased, .outcome = O::kCleared},
};

/// Counted by the process that made the nomination, as far as it lives.
constexpr Transition kFromInherited[] = {
    {.on = kBoundThere, .to = kForgotten},
    {.on = kBoundElsewhere, .to = kForgotten},
    {.on = kGone, .to = kForgotten},
    {.on = kRefused, .to = kQueued},
    {.on = kCleared, .to = kQueued},
    {.on = kTaken, .to = kForeign},
    {.on = kFoundOurs, .to = kInherited},
    // From now on it is this process's.
    {.on = kAdopted, .to = kNominated, .assumption = kMade},
};

/// Counted when the API told. A pod that was forgotten then would be taken for a new one by an older event.
constexpr Transition kFromEnded[] = {
    {.on = kBoundThere, .to = kForgotten},
    {.on = kBoundElsewhere, .to = kForgotten},
    {.on = kGone, .to = kForgotten},
    {.on = kFreed, .to = kQueued},
};

}  // namespace

std::span<const Transition> transitions_from(Stage stage) {
  switch (stage) {
    case kForeign:
      return kFromForeign;
    case kQueued:
      return kFromQueued;
    case kWriting:
      return kFromWriting;
    case kNominated:
      return kFromNominated;
    case kInherited:
      return kFromInherited;
    case kEnded:
      return kFromEnded;
    case kForgotten:
      return {};
  }
  return {};
}

const Transition* transition_of(Stage stage, NominationEvent event) {
  const std::span<const Transition> rows = transitions_from(stage);
  const auto row = std::ranges::find(rows, event, &Transition::on);
  return row == rows.end() ? nullptr : &*row;
}

std::string_view to_string(Stage stage) {
  constexpr std::string_view kTexts[kStages] = {"foreign",   "queued", "writing",  "nominated",
                                                "inherited", "ended",  "forgotten"};
  return kTexts[static_cast<std::size_t>(stage)];
}

std::string_view to_string(NominationEvent event) {
  constexpr std::string_view kTexts[kNominationEvents] = {
      "bound_there",     "bound_elsewhere", "gone",      "refused",    "cleared",       "taken",
      "found_ours",      "freed",           "changed",   "written",    "wrote_nothing", "found_there",
      "found_elsewhere", "found_gone",      "overruled", "rejected",   "denied",        "unclear",
      "not_sent",        "no_longer_fits",  "left_out",  "unfollowed", "passed_over",   "gate_stays",
      "not_there",       "adopted"};
  return kTexts[static_cast<std::size_t>(event)];
}

}  // namespace winnow
