// Whom a preemption really has to evict, by upstream's dry run, and whether a victim may be left alone.
//
// On each candidate node all victims are taken away. If the pod does not fit then, the node is no candidate.
// Otherwise they are put back one by one: those whose eviction breaks a budget first, then the others, each
// from the highest priority, in the order given where priorities are equal. One with which the pod still fits
// stays, where the rules may say so (may_reprieve()). Nominated pods count as they do when filtering
// (nominated.h); what a rule refuses before it looks at any node no eviction changes.
// Upstream: pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go SelectVictimsOnNode
// v1.37.0, core/generic_scheduler.go selectVictimsOnNode v1.16.15.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace winnow {

class Budget;
class Engine;
class State;
class View;
struct Candidate;
struct Pod;
struct RuleSet;

/// What is left of a candidate.
struct Eviction {
  std::vector<std::size_t> victims;  ///< Indices into the candidate's, in order; at least one.
  std::int64_t violations = 0;       ///< How many of them break a budget.
};

struct Evictions {
  /// By candidate; nothing where the evictions do not let the pod fit, or where it fits without any.
  std::vector<std::optional<Eviction>> by_candidate;
  /// By candidate: why the pod does not fit with all victims gone; empty where it does, and where that was
  /// not asked, or not wanted.
  std::vector<std::vector<std::string>> why;
  std::vector<std::uint8_t> needless;  ///< By candidate: 1 where the pod fits beside all of its victims.
  std::vector<std::uint8_t> judged;    ///< By candidate: 0 where it was too late, or the node is not known.
  bool cut_short = false;              ///< Some were not judged, for the time was over.
};

/// The rules are asked on the engine's threads. @param budget  when its time is over, the candidates that are
/// not done are left unjudged. Null: unlimited. @param reasons  whether Evictions::why is wanted: it binds
/// all rules anew for each candidate that has no room.
Evictions select_victims(const Engine& engine, const View& view, const Pod& pod,
                         std::span<const Candidate> candidates, const Budget* budget = nullptr,
                         bool reasons = false);

// Whether a victim that the rules do not need may be left alone.

/// kube-scheduler named the victims by its own filters. Some of them an eviction can turn: see
/// turned_by_eviction in predicates/records.h. A victim may be left alone only where the rules decide all
/// that these decide of the pod on the node: otherwise the node may go on refusing the pod, and the next
/// preemption evicts on another node.
/// @return whether each of them is among the rules, or has nothing to say about this pod and these victims. A
/// classic rule stands for a filter only as far as it reads pods as that filter does: one that lacks part of
/// the filter's check (ClassicCheck::lacking) does not.
bool may_reprieve(const RuleSet& rules, const State& state, const Pod& pod, const Candidate& candidate);

}  // namespace winnow
