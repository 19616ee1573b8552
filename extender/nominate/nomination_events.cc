#include "extender/nominate/nomination_events.h"

#include <format>
#include <string_view>
#include <utility>

#include "cluster/client/servers/pod_events.h"
#include "extender/nominate/nomination.h"
#include "extender/nominate/pod_facts.h"

namespace winnow {
namespace {

live::PodEvent warning_of(const Effect& effect, std::string_view reason, std::string note) {
  return {.ns = effect.ns,
          .name = effect.name,
          .uid = effect.uid,
          .is_warning = true,
          .reason = reason,
          .note = std::move(note)};
}

}  // namespace

std::optional<live::PodEvent> event_of(const Effect& effect) {
  if (!effect.outcome) return std::nullopt;
  switch (*effect.outcome) {
    case NominationOutcome::kRefused:
      return warning_of(
          effect, "NominationRefused",
          std::format("Winnow nominated node {}, and kube-scheduler refused it{}{}", effect.node,
                      effect.refused && !effect.refused->message.empty() ? ": " : "",
                      effect.refused ? effect.refused->message : ""));
    case NominationOutcome::kUnfollowed:
      return warning_of(
          effect, "NominationNotFollowed",
          std::format("Winnow nominated node {}, and kube-scheduler has not tried the pod since",
                      effect.node));
    case NominationOutcome::kNoLongerFits:
      return warning_of(
          effect, "NominatedNodeNoLongerFits",
          std::format("Winnow nominated node {}, where the pod does not fit any more", effect.node));
    case NominationOutcome::kRejected:
      if (effect.event == NominationEvent::kGateStays)
        return warning_of(
            effect, "NominationRejected",
            std::format("Winnow nominated node {}, and could not remove its scheduling gate", effect.node));
      return warning_of(effect, "NominationRejected",
                        std::format("the API server refuses that Winnow nominates node {}", effect.node));
    case NominationOutcome::kDenied:
      return warning_of(
          effect, "NominationDenied",
          std::format("Winnow may not nominate node {}: its right to patch pods/status, or the gate, is "
                      "missing",
                      effect.node));
    default:
      return std::nullopt;
  }
}

live::PodEvent held_event(const PodFacts& pod, const std::string& why) {
  return {.ns = pod.ns,
          .name = pod.name,
          .uid = pod.uid,
          .is_warning = true,
          .reason = "HeldByGate",
          .note = "Winnow keeps the pod's scheduling gate until a node fits: " + why};
}

}  // namespace winnow
