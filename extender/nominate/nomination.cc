#include "extender/nominate/nomination.h"

#include <algorithm>

#include "extender/nominate/pod_facts.h"
#include "extender/nominate/pod_writer.h"

namespace winnow {
namespace {

/// kube-scheduler's text about a pod that it gave up, after the nomination was taken away, says that it
/// tried.
NominationEvent taken_away(const PodFacts& facts) {
  return facts.refused ? NominationEvent::kRefused : NominationEvent::kCleared;
}

/// Whether our nomination is not on the API any more, or never was.
bool clears_api(NominationEvent event) {
  using enum NominationEvent;
  return event == kWroteNothing || event == kRefused || event == kCleared || event == kTaken ||
         event == kNotThere || event == kOverruled;
}

}  // namespace

// ---- what is to happen ----

std::optional<NominationEvent> Nomination::event_told(const PodFacts& facts, std::string_view gate) const {
  if (!facts.node.empty())
    return facts.node == node ? NominationEvent::kBoundThere : NominationEvent::kBoundElsewhere;
  if (facts.over) return NominationEvent::kGone;
  const bool before_our_write = facts.version != 0 && facts.version < written;
  if (!before_our_write)
    if (const auto event = told_of_nomination(facts)) return event;
  if (stage == Stage::kNominated && why_not_nominated(facts, gate)) return NominationEvent::kLeftOut;
  if ((stage == Stage::kNominated || stage == Stage::kQueued) && is_stale(facts, gate))
    return NominationEvent::kChanged;
  return std::nullopt;
}

std::optional<NominationEvent> Nomination::told_of_nomination(const PodFacts& facts) const {
  const bool none = facts.nominated.empty();
  const NominationEvent another =
      facts.nominated_by_winnow ? NominationEvent::kFoundOurs : NominationEvent::kTaken;
  switch (stage) {
    case Stage::kForeign:
      if (!none && another == NominationEvent::kTaken) return std::nullopt;
      return none ? NominationEvent::kFreed : another;
    case Stage::kQueued:
      if (none || facts.nominated == on_api) return std::nullopt;
      return another;
    case Stage::kNominated:
      if (facts.nominated == node) return std::nullopt;
      if (!none) return another;
      if (written == 0 && !shown) return std::nullopt;  // It may not be written yet.
      return taken_away(facts);
    case Stage::kInherited:
      if (facts.nominated == node) return std::nullopt;
      return none ? taken_away(facts) : another;
    case Stage::kWriting:
    case Stage::kEnded:
    case Stage::kForgotten:
      return std::nullopt;
  }
  return std::nullopt;
}

/// Whether the last decision was about other facts.
bool Nomination::is_stale(const PodFacts& facts, std::string_view gate) const {
  if (decided_hash == 0) return false;
  if (facts.rules_hash != decided_hash) return true;
  const auto why = why_not_nominated(facts, gate);
  return stage == Stage::kQueued && why != why_not && (why || !is_of_cache(*why_not));
}

bool Nomination::is_missing(const PodFacts& facts) const {
  return stage == Stage::kNominated && !shown && written == 0 && facts.nominated != node;
}

bool Nomination::is_failed_withdrawal(NominationEvent event) const {
  const bool fails = event == NominationEvent::kRejected || event == NominationEvent::kDenied;
  return fails && node.empty();
}

// ---- what has happened ----

void Nomination::follow(const Transition& transition, const PodFacts& facts) {
  using enum NominationEvent;
  if (transition.on == kWritten || transition.on == kUnclear) on_api = node;
  if (clears_api(transition.on)) on_api.clear();
  if (transition.on == kAdopted) decided_hash = facts.rules_hash;
  stage = transition.to;
  if (stage == Stage::kForeign) node.clear();
  if (stage == Stage::kInherited) {
    node = on_api = facts.nominated;
    shown = true;
  }
  if (stage != Stage::kQueued) return;
  node.clear();
  shown = gate_stays = false;
  if (transition.on != kChanged) return;
  decided_hash = 0;
  why_not.reset();
}

void Nomination::note_facts(const PodFacts& facts) {
  if (!node.empty() && facts.nominated == node) shown = true;
}

void Nomination::note_report(const WriteReport& report) {
  // Until the watch has shown a nomination of unknown version, nothing says that it was taken away.
  const bool nominates =
      report.event == NominationEvent::kWritten || report.event == NominationEvent::kUnclear;
  written = nominates ? report.version : std::max(written, report.version);
  gate_stays = report.gate_stays;
}

NominationWrite Nomination::begin_write(const PodFacts& facts, const std::string& on_node,
                                        std::string_view gate) {
  NominationWrite write{.pod = identity(facts), .instead_of = on_api, .node = on_node};
  if (facts.has_only_gate(gate)) write.gate = gate;
  stage = Stage::kWriting;
  node = on_node;
  shown = !node.empty() && node == facts.nominated;
  return write;
}

// ---- questions ----

bool Nomination::has_gate_still(const PodFacts& facts, std::string_view gate) const {
  return facts.has_only_gate(gate) && (facts.version == 0 || facts.version >= written);
}

bool Nomination::is_shown(const PodFacts& facts) const {
  return stage == Stage::kNominated && facts.nominated == node && facts.nominated_by_winnow;
}

bool Nomination::may_be_tried(const PodFacts& facts) const {
  return is_shown(facts) && facts.gates.empty() && !facts.refused;
}

live::PodIdentity Nomination::identity(const PodFacts& facts) const {
  return {facts.ns, facts.name, facts.uid,
          written > facts.version ? std::to_string(written) : facts.resource_version};
}

std::optional<Effect> effect_of(const Transition& transition, const Nomination& nomination,
                                const PodFacts& facts, std::chrono::steady_clock::time_point now) {
  if (nomination.node.empty()) return std::nullopt;  // No nomination ends here.
  if (transition.assumption == Assumption::kStays && !transition.outcome) return std::nullopt;
  return Effect{.ns = facts.ns,
                .name = facts.name,
                .uid = facts.uid,
                .node = nomination.node,
                .when = now,
                .event = transition.on,
                .assumption = transition.assumption,
                .avoids_node = transition.avoids_node,
                .outcome = transition.outcome,
                .refused = facts.refused};
}

}  // namespace winnow
