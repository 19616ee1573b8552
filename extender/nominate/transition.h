// What becomes of a waiting pod: a table of stages and of what may happen; and the facts of a watch event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/pod.h"
#include "extender/service/metrics/figures.h"

namespace winnow {

/// The facts of one event about a pod.
struct PodFacts {
  std::string ns, name, uid;
  std::string resource_version;
  std::uint64_t version = 0;  ///< The same as a number; 0: unknown.
  std::int32_t priority = 0;
  std::string scheduler;  ///< Its schedulerName; "": the default one.
  std::vector<std::string> gates;
  bool has_resource_claims = false;
  bool in_pod_group = false;
  std::string node;                     ///< Where it is bound; "": nowhere.
  std::string nominated;                ///< Its status.nominatedNodeName.
  bool nominated_by_winnow = false;     ///< By its managedFields.
  std::optional<PodCondition> refused;  ///< Its PodScheduled=False: kube-scheduler has given it up. Not the
                                        ///< condition that scheduling gates make.
  bool over = false;                    ///< It is being deleted, or has ended.
  std::size_t rules_hash = 0;           ///< Of what rules read of it; gates are left out.

  /// The pod as the log names it: NAMESPACE/NAME.
  std::string pod() const { return ns + '/' + name; }
};

PodFacts facts_of(const Pod& pod);

/// Whether the pod waits for a node: it has none, is not being deleted, and has not begun.
bool waits_for_node(const Pod& pod);

// What becomes of a waiting pod: one table of stages and of what may happen in each.
//
// extender/nominate decides for pods that wait, before kube-scheduler does:
// - transition.h       this table: what happens to a pod, and what follows; and what an event tells of it
// - passed_over.h      which pods get no nomination, and nominations that kube-scheduler passes over
// - waiting_pods.h     the pods that wait, in order, and the stage of each
// - nominator.h        the thread that decides
// - nomination_writers.h  the threads that write, and what the pods' people are told
//
// It also decides beside a kube-scheduler, and compares: scheduler_decisions.h has that one's decisions, and
// shadow.h the thread that holds Winnow's against them.

/// How far the nomination of a waiting pod has come.
enum class Stage : std::uint8_t {
  kLeft,      ///< Not Winnow's to decide now: it has a nomination by somebody else.
  kQueued,    ///< To be decided, or decided without a nomination.
  kWriting,   ///< Decided and assumed; a writer has it.
  kStanding,  ///< The nomination is on the API, or may be; the pod is assumed on that node.
  kFound,     ///< The API has a nomination by a Winnow before this one. The pod is not assumed for it.
  kEnded,     ///< The API has told how it ended, and the watch has not yet. Older events are still to come.
  kOver,      ///< The pod does not wait any more, and is forgotten.
};

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

/// What follows for the assumption of the pod (AssumedPods).
enum class Assumption : std::uint8_t {
  kStays,     ///< As it is. What the watch tells goes through AssumedPods first, which ends it itself.
  kReleased,  ///< Ended, if it is on the nominated node: the place is free again.
  kMade,      ///< The pod is assumed on the nominated node.
};

/// A row: in this stage this happens, and that follows.
struct Transition {
  Stage stage;
  NominationEvent happening;
  Stage next;
  Assumption assumption;
  std::optional<NominationOutcome> outcome;  ///< Of the nomination that ends with it, if one does.
  bool steps_back = false;  ///< The next choice for the pod ranks the node lower (NodePicker::answered).
  bool misses = false;      ///< The next decision waits, the longer the more often in a row this happens.
};

/// The table.
std::span<const Transition> fates();
/// The row; null: nothing follows.
const Transition* fate_of(Stage stage, NominationEvent happening);

std::string_view to_string(Stage stage);
std::string_view to_string(NominationEvent happening);  ///< As the log has it: "bound_elsewhere".

}  // namespace winnow
