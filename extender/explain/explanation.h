// An explanation: the verdict and the score of every rule for every node, and refused nodes by reason.
//
// extender/explain renders an Explanation as JSON for programs (explanation_json.h; one object, stable from
// release to release) and as a table for people (table.h).
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "cluster/rule/cause.h"
#include "cluster/state/held_places.h"
#include "extender/engine/claimed_devices.h"
#include "extender/engine/preemption_preview.h"
#include "extender/explain/suggestions.h"

namespace winnow {

/// The verdict of one predicate for one node.
struct FilterEntry {
  std::string rule;       ///< Its name in the configuration.
  std::size_t place = 0;  ///< Among the predicates, in order of evaluation: a list may leave some out.
  bool fits = true;
  bool skipped = false;     ///< The rule does not concern this pod.
  bool resolvable = false;  ///< The node does not fit, and evicting pods might help.
  std::vector<std::string> reasons;
  std::vector<Cause> causes;         ///< The facts behind the reasons.
  std::optional<std::string> error;  ///< The rule failed for this node.
};

/// The score of one priority for one node.
struct ScoreEntry {
  std::string rule;
  std::optional<std::int64_t> raw;  ///< From map; absent if the rule has no map, or was skipped.
  std::int64_t score = 0;           ///< From reduce.
  std::int64_t weight = 1;
  bool skipped = false;
  std::vector<Cause> facts = {};  ///< What made the score; told where it is asked for.
};

/// The priority that could not score the only node that fits, and why.
struct ScoreError {
  std::string rule;
  std::string error;
};

/// The results for one node.
struct NodeExplanation {
  std::string name;
  bool fits = true;
  bool scored = true;  ///< False if the priorities failed; `scores` is empty then.
  /// All predicates, in order of evaluation. Of an outline, those that refuse: see Explainer::outline().
  std::vector<FilterEntry> filters;
  std::vector<ScoreEntry> scores;         ///< All priorities that score; for nodes that fit. None: the same.
  std::optional<ScoreError> score_error;  ///< Of a node that alone fits, and was not scored.
  std::int64_t total = 0;                 ///< The weighted sum; for nodes that fit.
  std::int64_t answer = 0;  ///< The score from 0 to 10 that prioritize answers; for nodes that fit.
  /// What the pod's claims would get here; of a node that the rule of devices does not refuse.
  std::vector<ClaimedDevices> devices;
};

/// A refusal by filter that no call has followed.
struct RefusalEntry {
  std::uint64_t times = 1;                  ///< Refusals in a row.
  double seconds = 0;                       ///< Since the last refusal.
  std::optional<std::string> would_fit_on;  ///< The node on which the pod would fit now.
  double would_fit_seconds = 0;             ///< Since a recheck first found it to fit.
};

/// The note on a preemption that kube-scheduler would not make.
inline constexpr std::string_view kInVainNote =
    "kube-scheduler up to 1.37 does not preempt for this: with --answer=best it knows resources and host "
    "ports only";

/// A cause in words, summed over the nodes that one rule is the first to refuse.
struct CauseSum {
  std::string rule;
  std::string text;
  std::size_t nodes = 0;
};

/// One of the things that keep a pod out of a node: the rule, and what its cause has on all nodes alike, its
/// kind and of a resource which one and how much is wanted.
struct Obstacle {
  std::string rule;
  Cause cause;

  bool operator==(const Obstacle&) const = default;
};

/// What keeps a pod out of the nodes that are nearest to taking it. See kept_out().
struct KeptOut {
  std::vector<Obstacle> obstacles;
  std::size_t nodes = 0;  ///< How many nodes these keep it out of.
};

/// The explanation of one pod.
struct Explanation {
  std::string pod;    ///< "namespace/name".
  std::string rules;  ///< By whose rules it is, in words; "": it is not known.
  std::int64_t feasible = 0;
  std::optional<std::string> selected;      ///< The node that it would get; for a pod with a node: if it were
                                            ///< scheduled again.
  std::optional<std::string> assumed;       ///< The node that it is assumed on; see AssumedPods.
  std::optional<std::string> error;         ///< Why it cannot be scheduled at all.
  std::optional<std::string> pre_filter;    ///< Why it is refused before any node is looked at.
  std::optional<std::string> node;          ///< The node that it is bound to.
  std::optional<std::string> nominated;     ///< Its status.nominatedNodeName.
  std::optional<std::string> nominated_by;  ///< Who has written that, as far as it is known.
  std::optional<std::string> not_nominated;  ///< Why the Winnow that is asked, and nominates, leaves it out.
  /// Fields of a pod that was sent, which the API server would refuse: "spec.containers[0].image: Required
  /// value".
  std::vector<std::string> warnings;
  /// What the pod asks for that no rule judges: "DeviceClass gpu provides nvidia.com/gpu".
  std::vector<std::string> not_judged;
  /// What of its fields has no effect here; see remarks_on().
  std::vector<std::string> remarks;
  std::vector<std::string> gates;  ///< Its scheduling gates. While it has one, no scheduler looks at it.
  std::optional<RefusalEntry> refused;
  std::optional<PreemptionPreview> preemption;  ///< For a pod without a node that fits nowhere.
  Help help;                                    ///< The same.
  std::optional<KeptOut> kept_out;              ///< For a pod that fits nowhere.
  /// The places held on nodes that would take the pod without these, by node and pod.
  std::vector<HeldPlace> held;
  std::vector<CauseSum> summary;       ///< Why nodes do not fit, in words; see summarize().
  std::vector<NodeExplanation> nodes;  ///< By name.
};

// What refuses a pod, and which nodes are nearest to taking it.

/// The rules that refuse the pod on the node, in order. A cordoned node has a taint that says the same: where
/// only that is behind a rule's refusal, the rule is left out.
std::vector<const FilterEntry*> refusals_of(const NodeExplanation& node);

/// How far a node is from taking the pod. Of two the smaller is nearer.
struct Distance {
  bool is_unwanted = false;  ///< The pod itself asks for other nodes.
  std::size_t rules = 0;     ///< That refuse it.
  std::size_t passed = 0;    ///< The rules before the first one that refuses it.

  bool operator==(const Distance&) const = default;
  std::strong_ordering operator<=>(const Distance& other) const {
    return std::tie(is_unwanted, rules, other.passed) <=> std::tie(other.is_unwanted, other.rules, passed);
  }
};
Distance distance_of(const NodeExplanation& node);

// The nodes that a pod does not fit, grouped by reason. Thousands of nodes usually have a handful of reasons.

/// Nodes on which the same rule fails first, for the same reasons.
struct FailureGroup {
  std::string rule;    ///< The first rule that fails, as configured; "": no rule gives a reason.
  std::string reason;  ///< Its reasons, joined with ", ", or its error.
  bool error = false;
  std::vector<const NodeExplanation*> nodes;  ///< By name. Of the explanation.
  std::size_t evictable = 0;  ///< Nodes that eviction might help: all failures are resolvable.
  /// The rules that fail after the first, each with its number of nodes, the most frequent first.
  std::vector<std::pair<std::string_view, std::size_t>> behind;
  Distance distance;                            ///< Of its nearest node.
  std::vector<const NodeExplanation*> nearest;  ///< Those of the nodes that are nearest of all. By name.
};

/// The groups of the nodes that do not fit: those with the nearest node first, of these the largest.
std::vector<FailureGroup> group_failures(const Explanation& explanation);

/// The text that kube-scheduler writes into the events of a pod that fits nowhere (FitError.Error()): "0/5
/// nodes are available: 2 node(s) were unschedulable, 3 Insufficient cpu." The reasons of each node's first
/// failure are counted. With `every_failure` (alwaysCheckAllPredicates) those of all its failures are.
std::string fit_error(const Explanation& explanation, bool every_failure);

}  // namespace winnow
