// The nomination of one pod: how far it has come, and what the facts of the pod make of it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "extender/nominate/transition.h"

namespace winnow::live {

struct PodIdentity;

}  // namespace winnow::live

namespace winnow {

struct NominationWrite;
struct PodFacts;
struct WriteReport;

/// The state that the table of transition.h leads from stage to stage. It has no lock, no clock and no cache:
/// the pod's facts and all that happens are given. Functions that take facts mean the last ones of that pod.
struct Nomination {
  Stage stage = Stage::kForeign;  ///< Of a pod that is new: the facts tell what it is.
  std::string node;               ///< From kWriting on: the nomination. "" in kWriting: it is taken away.
  std::string on_api;             ///< Our nomination that the API may have.
  std::uint64_t lead = 0;         ///< The lead in which its last write was decided, counted by WaitingPods.
  std::uint64_t written = 0;  ///< The version of our last write. Events before it tell of the time before.
  bool shown = false;         ///< The watch has shown the nomination.
  bool gate_stays = false;    ///< kNominated: the gate could not be removed.

  std::size_t decided_hash = 0;  ///< PodFacts::rules_hash of the last decision; 0: none counts.
  /// The last decision, or the pod's facts by the time of it, told this reason.
  std::optional<WhyNotNominated> why_not;

  // What is to happen.
  /// What the facts tell that the stage does not show yet. Nothing: they tell nothing new.
  /// @param gate  Winnow's own scheduling gate; "": none.
  std::optional<NominationEvent> event_told(const PodFacts& facts, std::string_view gate) const;
  /// Whether nobody knows that the nomination is on the API, and the watch shows that it is not.
  bool is_missing(const PodFacts& facts) const;
  /// Whether the event is that of a write which could not take the nomination away.
  bool is_failed_withdrawal(NominationEvent event) const;

  // What has happened.
  /// Goes on to the row's next stage.
  /// @param transition  transition_of() this stage.
  void follow(const Transition& transition, const PodFacts& facts);
  /// Notes that the facts are new.
  void note_facts(const PodFacts& facts);
  /// Notes what a write tells, before its event happens.
  void note_report(const WriteReport& report);
  /// Goes on to kWriting. @param node  "": our nomination is taken away, if there is one.
  /// @param gate  Winnow's own, to be removed too, if the pod has no other; "": it stays.
  /// @return the write, without a ticket and a term.
  NominationWrite begin_write(const PodFacts& facts, const std::string& node, std::string_view gate);

  // Questions.
  /// Whether the pod has Winnow's gate alone, by an event that is no older than our last write. Another may
  /// tell of a gate that the write has removed.
  bool has_gate_still(const PodFacts& facts, std::string_view gate) const;
  /// Whether the watch shows the nomination, and that it is Winnow's. One that kube-scheduler has written
  /// itself is not to be doubted: it prepares that node.
  bool is_shown(const PodFacts& facts) const;
  /// Whether kube-scheduler has the nominated pod among those that it is to try, if it knows no reason
  /// against that. One that it has given up may rest until something happens.
  bool may_be_tried(const PodFacts& facts) const;
  /// The pod, at the version that a write is to meet.
  live::PodIdentity identity(const PodFacts& facts) const;

 private:
  std::optional<NominationEvent> told_of_nomination(const PodFacts& facts) const;
  bool is_stale(const PodFacts& facts, std::string_view gate) const;
};

/// What follows for the rest of Winnow from what has happened to a pod.
struct Effect {
  std::string ns, name, uid, node;
  std::chrono::steady_clock::time_point when;
  NominationEvent event{};
  Assumption assumption = Assumption::kStays;
  bool avoids_node = false;
  std::optional<NominationOutcome> outcome;
  std::optional<PodCondition> refused;  ///< The pod's, as last told.
  /// When a call first asked for the nomination; nothing: none did.
  std::optional<std::chrono::steady_clock::time_point> requested = {};
};

/// What follows from the transition, which the nomination has not followed yet. Nothing: nothing does.
/// @param now  becomes its `when`.
std::optional<Effect> effect_of(const Transition& transition, const Nomination& nomination,
                                const PodFacts& facts, std::chrono::steady_clock::time_point now);

}  // namespace winnow
