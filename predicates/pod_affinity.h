// Required (anti-)affinity between pods: its domains, its dry run, and what is v1.16's alone (metadata).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cluster/rule/pod_affinity.h"
#include "cluster/rule/rule.h"
#include "cluster/state/pod_groups.h"
#include "cluster/state/pod_terms.h"

namespace winnow {

class State;
struct PodRecord;

}  // namespace winnow

namespace winnow::predicates {

/// Domains by topology key. A domain is marked if its number is not 0.
using MarkedDomains = DomainsByKey<std::uint8_t>;
/// Whether a node is in a marked domain of any key.
bool in_any(const MarkedDomains& domains, NodeId node);
/// Gives a verdict to the nodes that are in a marked domain of any key.
void refuse_in_any(const MarkedDomains& domains, Verdict verdict, std::span<const NodeId> nodes,
                   std::span<Verdict> out);
/// Gives a verdict to the nodes that lack a marked domain of some key.
void refuse_unless_in_all(const MarkedDomains& domains, Verdict verdict, std::span<const NodeId> nodes,
                          std::span<Verdict> out);

/// Marks the domains of the nodes that have pods. @param pods  how many, by node id.
/// @return whether a domain was marked.
bool mark(Domains<std::uint8_t>& domains, const std::vector<std::int32_t>& pods);

/// The domains that running pods keep free of this pod by their required anti-affinity. Without keys if no
/// domain is marked.
MarkedDomains domains_of_existing_anti_affinity(const Request& request);

/// Marks the domains of these pods for every key. @return whether a domain was marked.
bool mark_all(MarkedDomains& domains, const std::vector<std::int32_t>& pods);

// Required (anti-)affinity between pods in the dry run of a preemption, for rules of both generations.

/// The required terms of the pod that is to be placed.
struct OwnAffinity {
  std::vector<std::string> wanted_keys;  ///< The topology keys of its affinity terms.
  PodQuery wanted;                       ///< The pods that match all of these terms. Not read without keys.
  /// The terms of its anti-affinity: topology key, and the pods that it forbids.
  std::vector<std::pair<std::string, PodQuery>> forbidden;
  /// v1.16 differs from today's in three points. The first pod of its kind fits nodes without the topology
  /// keys too. Pods that are only nominated do not count for these terms. A pod that comes back counts for
  /// all terms of the anti-affinity if it matches one of them.
  Generation generation = Generation::kToday;
};

/// A trial that follows what upstream's AddPod and RemovePod do: pods that match the pod's own terms, and
/// anti-affinity of other pods that matches the pod, by domain.
/// Upstream: plugins/interpodaffinity/filtering.go v1.37.0, predicates/metadata.go v1.16.15.
std::unique_ptr<Trial> make_affinity_trial(const Request& request, const OwnAffinity& own);

// The failure of v1.16's predicate metadata, which it computes for a pod before it asks any predicate.
//
// An invalid selector makes that computation fail, and upstream then goes on without metadata. EvenPodsSpread
// gives an error on every node. MatchInterPodAffinity takes a slower path with partly different results.

/// Whether upstream has no metadata for the pod. The cluster is the one before any dry run: see
/// Request::before. That is so in these cases:
/// - a hard spread constraint of the pod has an invalid selector, and a node that the constraints count has a
///   pod of the same namespace;
/// - a pod on some node has a required anti-affinity term with an invalid selector;
/// - the pod has a required affinity term with an invalid selector;
/// - the pod has such an anti-affinity term, and there is any pod on any node.
/// Upstream: predicates/metadata.go GetMetadata v1.16.15.
bool lacks_metadata(const Request& request);

/// Whether v1.16's AddPod fails for a nominated pod, and so leaves the metadata as it is: a term of the pod's
/// required anti-affinity has an invalid selector.
/// Upstream: predicates/metadata.go AddPod, core/generic_scheduler.go addNominatedPods v1.16.15.
bool fails_to_be_added(const State& state, const PodRecord& pod);

// Parts that the two variants of the classic MatchInterPodAffinity share.
// Upstream: predicates.go InterPodAffinityMatches and what it calls, v1.16.15.

/// The reasons' bit numbers. A failure gives kNotMatched and one of the others.
enum AffinityReason : std::uint8_t { kNotMatched, kAffinityRules, kAntiAffinityRules, kExistingPodsRules };
inline const std::array<std::string, 4> kAffinityReasons = {
    "node(s) didn't match pod affinity/anti-affinity",
    "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
};
/// The verdict on a node that fails. Eviction cannot bring what the pod's own affinity asks for.
constexpr Verdict fails(AffinityReason reason) {
  return Verdict::of(reason == kAffinityRules ? Fit::kUnresolvable : Fit::kUnschedulable,
                     std::uint64_t{1} << kNotMatched | std::uint64_t{1} << reason);
}

/// The pods that match all terms. An invalid selector matches nothing. @param terms  at least one.
inline PodQuery all_of(const std::vector<AffinityTerm>& terms) {
  AllQueries all;
  for (const AffinityTerm& term : terms) all.add(term.query());
  return all.take();
}

/// MatchInterPodAffinity for a pod for which upstream has no metadata (see lacks_metadata()). Never null.
std::unique_ptr<const Predicate> inter_pod_affinity_slow(const Request& request);

}  // namespace winnow::predicates

// Today's InterPodAffinity.

namespace winnow::predicates::today {

inline const std::array<std::string, 3> kInterPodAffinityReasons = {
    "node(s) didn't match pod affinity rules",
    "node(s) didn't match pod anti-affinity rules",
    "node(s) didn't satisfy existing pods anti-affinity rules",
};

// By what is kept for the pod's class (see KeptSlot).

/// Goes on with what the request's slot holds. @return nothing: that cannot be followed. Null: the rule has
/// nothing to say about the pod.
std::optional<std::unique_ptr<const Predicate>> affinity_by_kept(const Request& request);
/// Begins to keep; as above. @pre the pod's terms are valid.
std::optional<std::unique_ptr<const Predicate>> affinity_to_keep(const Request& request);

}  // namespace winnow::predicates::today
