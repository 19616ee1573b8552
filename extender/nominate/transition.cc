#include "extender/nominate/transition.h"

#include <algorithm>
#include <cstddef>

#include "cluster/api/pod.h"
#include "cluster/client/servers/pod_patcher.h"
#include "cluster/state/pod_record.h"
#include "cluster/state/state.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {
namespace {

std::size_t hash_of_rules_part(const Pod& pod) {
  PodSpec spec = pod.spec;
  spec.scheduling_gates.clear();
  spec.node_name.clear();
  std::size_t hash = PodSpecHash()(spec);
  for (const auto& [key, value] : pod.metadata.labels) {
    hash = hash_mix(hash, TextHash()(key));
    hash = hash_mix(hash, TextHash()(value));
  }
  return hash;
}

}  // namespace

bool waits_for_node(const Pod& pod) {
  const std::string& phase = pod.status.phase;
  return pod.spec.node_name.empty() && !pod.metadata.deleting && (phase.empty() || phase == "Pending");
}

PodFacts facts_of(const Pod& pod) {
  PodFacts facts{.ns = pod.metadata.namespace_,
                 .name = pod.metadata.name,
                 .uid = pod.metadata.uid,
                 .resource_version = pod.metadata.resource_version,
                 .version = to_number(pod.metadata.resource_version),
                 .priority = pod.spec.priority.value_or(0),
                 .scheduler = pod.spec.scheduler_name,
                 .gates = pod.spec.scheduling_gates,
                 .has_resource_claims = pod.spec.has_resource_claims,
                 .in_pod_group = pod.spec.in_pod_group,
                 .node = pod.spec.node_name,
                 .nominated = pod.status.nominated_node_name};
  facts.nominated_by_winnow = pod.status.nominated_by == live::kNominationManager;
  for (const PodCondition& condition : pod.status.conditions)
    if (is_refusal(condition)) facts.refused = condition;
  facts.over = facts.node.empty() && !waits_for_node(pod);
  facts.rules_hash = hash_of_rules_part(pod);
  return facts;
}

namespace fate_table {

using enum Stage;
using enum Assumption;
using H = NominationEvent;
using O = NominationOutcome;

constexpr std::optional<O> kNoOutcome{};

constexpr Transition kFates[] = {
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

std::span<const Transition> fates() { return fate_table::kFates; }

const Transition* fate_of(Stage stage, NominationEvent happening) {
  const auto row = std::ranges::find_if(
      fates(), [&](const Transition& fate) { return fate.stage == stage && fate.happening == happening; });
  return row == fates().end() ? nullptr : &*row;
}

std::string_view to_string(Stage stage) {
  constexpr std::string_view kTexts[] = {"left", "queued", "writing", "standing", "found", "ended", "over"};
  return kTexts[static_cast<std::size_t>(stage)];
}

std::string_view to_string(NominationEvent happening) {
  constexpr std::string_view kTexts[] = {
      "bound_there",     "bound_elsewhere", "gone",      "refused",    "cleared",       "taken",
      "found_ours",      "freed",           "changed",   "written",    "wrote_nothing", "found_there",
      "found_elsewhere", "found_gone",      "overruled", "rejected",   "denied",        "unclear",
      "not_sent",        "no_longer_fits",  "left_out",  "unfollowed", "passed_over",   "gate_stays",
      "not_there",       "adopted"};
  return kTexts[static_cast<std::size_t>(happening)];
}

}  // namespace winnow
