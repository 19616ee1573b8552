// The nomination of one pod as a state machine: its stages, what can happen in each, and what follows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "extender/service/metrics/figures.h"

namespace winnow {

// extender/nominate decides for pods that wait, before kube-scheduler does:
// - pod_facts.h           what an event of the watch tells of a pod, and why a pod gets no nomination
// - transition.h          this table: the stages of a nomination, and what leads from one to another
// - nomination.h          one pod's nomination: its stage, and which event the facts of a pod make happen
// - decision_queue.h      which pod is decided next
// - retry_policy.h        when a pod is tried again
// - doubts.h              nominations whose pods kube-scheduler does not try
// - waiting_pods.h        the pods that wait: these together, under one lock
// - nominator.h           the thread that decides
// - pod_writer.h          what is written to a pod: the interfaces from a decision to the patch
// - nomination_writers.h  the threads that write
// - nomination_events.h   what the people of a pod are told
//
// It also decides beside a kube-scheduler, and compares: scheduler_decisions.h has that one's decisions, and
// shadow.h the thread that holds Winnow's against them.

/// How far the nomination of a waiting pod has come.
enum class Stage : std::uint8_t {
  kForeign,    ///< Not Winnow's to decide now: the pod has a nomination by somebody else.
  kQueued,     ///< To be decided, or decided without a nomination.
  kWriting,    ///< Decided and assumed; a writer has it.
  kNominated,  ///< The nomination is on the API, or may be; the pod is assumed on that node.
  kInherited,  ///< The API has a nomination by a Winnow before this one. The pod is not assumed for it.
  kEnded,      ///< The API has told how it ended, and the watch has not yet. Older events are still to come.
  kForgotten,  ///< The pod does not wait any more, and nothing is kept of it.
};
inline constexpr std::size_t kStages = 7;

/// What can happen to a waiting pod.
enum class NominationEvent : std::uint8_t {
  // The watch tells.
  kBoundThere,      ///< It is bound to the node that it is nominated for.
  kBoundElsewhere,  ///< It is bound to another node, or to any while it has no nomination of ours.
  kGone,            ///< It is deleted, being deleted, has ended, or is another pod by its UID.
  kRefused,         ///< Its nomination is gone, and kube-scheduler says that no node was found.
  kCleared,         ///< Its nomination is gone, and nobody says why.
  kTaken,           ///< It has a nomination by somebody else, for another node.
  kFoundOurs,  ///< It has a nomination for another node by a Winnow: another replica's, or a former one's.
  kFreed,      ///< What made it not Winnow's to decide has gone. Or etcd was restored to an earlier time.
  kChanged,    ///< What rules read of it has changed.
  // A writer tells.
  kWritten,         ///< The nomination is on the API.
  kWroteNothing,    ///< A write that took something away (a nomination, a gate) has ended, and succeeded.
  kFoundThere,      ///< The API has the pod bound to the node.
  kFoundElsewhere,  ///< The API has it bound to another node.
  kFoundGone,       ///< The API does not have it, or it is being deleted.
  kOverruled,       ///< The API has a nomination by somebody else for it.
  kRejected,        ///< The API server refuses the write for good.
  kDenied,          ///< Winnow may not write.
  kUnclear,         ///< Nobody can tell whether it is written.
  kNotSent,         ///< Winnow does not lead any more; nothing was sent.
  // The nominator itself tells.
  kNoLongerFits,  ///< The node is gone, or the pod does not fit there any more.
  kLeftOut,       ///< The pod is one that gets no nomination, and has one by an earlier Winnow or decision.
  kUnfollowed,    ///< kube-scheduler has given the pod up, and has not tried it since.
  kPassedOver,    ///< kube-scheduler tries pods that came later: the pod is not in its queue.
  kGateStays,     ///< Winnow's scheduling gate could not be removed. kube-scheduler does not try the pod.
  kNotThere,      ///< At the begin of a lead: the nomination that may have been written is not on the API.
  kAdopted,       ///< Winnow leads, and takes over a nomination that it found.
};
inline constexpr std::size_t kNominationEvents = 26;

/// What follows for the assumption of the pod (AssumedPods).
enum class Assumption : std::uint8_t {
  kStays,     ///< As it is. What the watch tells goes through AssumedPods first, which ends it itself.
  kReleased,  ///< Ended, if it is on the nominated node: the place is free again.
  kMade,      ///< The pod is assumed on the nominated node.
};

/// A row of a stage: this happens, and that follows.
struct Transition {
  NominationEvent on;
  Stage to;
  Assumption assumption = Assumption::kStays;
  std::optional<NominationOutcome> outcome = std::nullopt;  ///< Of the nomination that ends with it, if any.
  bool waits = false;        ///< The next decision waits, the longer the more often in a row this happens.
  bool avoids_node = false;  ///< The next choice for the pod ranks the node lower (NodePicker::answered).
};

/// The rows of one stage: all that can happen in it. Of other events nothing follows.
std::span<const Transition> transitions_from(Stage stage);
/// The row for the event; null: nothing follows.
const Transition* transition_of(Stage stage, NominationEvent event);

std::string_view to_string(Stage stage);
std::string_view to_string(NominationEvent event);  ///< As the log has it: "bound_elsewhere".

}  // namespace winnow
