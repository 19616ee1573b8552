// Places pods one after another in a state, as kube-scheduler would.
//
// extender/simulate answers "what if": it changes a state of the cluster that nobody else reads, and never
// writes to a cluster. It knows no flags and prints nothing.
//
//   choose.h           one pod: the best node
//   placer.h           the same, and the state with the pod on it
//   reserve_volumes.h  the volumes that its claims take
//   batch.h            the pods of one workload, of files and of the cluster
//   changes.h          nodes and pods that come and go before
//   budgets.h          disruption budgets, as pods leave and come back
//   simulation.h       the queue: which pod is next, and which is tried again
//   drain.h            evictions, one after another
//   until_full.h       how often pods fit
//   nodes_needed.h     how many nodes they need
//   usage.h            what nodes' pods request, before and after
//   result.h           what was found
//   report/            the result: report_table.h for people, report_json.h for programs
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/state/state.h"
#include "extender/engine/engines.h"
#include "extender/simulate/choose.h"
#include "extender/simulate/reserve_volumes.h"

namespace winnow {

struct PlacerOptions {
  /// Seed of the draw among nodes of equal total, which is NodePicker's. Absent: the first by name.
  std::optional<std::uint64_t> seed;
  /// A pod that fits nowhere may evict pods, as kube-scheduler's preemption does. All nodes are tried.
  bool preemption = false;
};

/// What became of one pod.
struct Placement {
  std::string node;  ///< "": nowhere.
  std::string why;   ///< If nowhere: in upstream's words ("0/5 nodes are available: 3 Insufficient cpu, …").
  /// If nowhere: each reason of the nodes' first failing rules, and its number of nodes; in order of text.
  /// With alwaysCheckAllPredicates of all their failing rules. An error that fails the whole pod is the only
  /// one, on all nodes.
  std::vector<std::pair<std::string, std::size_t>> reasons;
  bool is_error = false;  ///< If nowhere: by an error, whose text may name the pod.
  /// The pods that were evicted for it, as they were, in order of eviction. They have spec.nodeName, and of
  /// their status nothing.
  std::vector<Pod> victims;
  std::int64_t total = 0;    ///< Of the node; 0 where one node alone fits.
  std::size_t feasible = 0;  ///< Nodes that fit, of those that were asked about.
  Reserved reserved;
};

/// Upstream looks at a part of a large cluster's nodes for each pod (percentageOfNodesToScore); this looks
/// at all.
///
/// Used by one thread. State and engines outlive it. It changes the state; nobody else adds or removes nodes
/// while it lives, and pods only between two calls.
/// Upstream: pkg/scheduler/schedule_one.go assumeAndReserve v1.37.0.
class Placer {
 public:
  using Chosen = std::function<void(const Choice&)>;

  Placer(State& state, const Engines& engines, const PlacerOptions& options);

  /// Decides, and puts the pod on its node in the state, with the volumes that its claims take: a later pod
  /// sees both. A pod that fits nowhere stays in the state as it was: pending, or not at all.
  /// @param pod  complete; without a node. Its scheduling gates are not looked at.
  /// @param chosen  told of the choice before anything changes; may be empty.
  /// @param may_preempt  if the options allow it.
  Placement place(const Pod& pod, const Chosen& chosen = {}, bool may_preempt = true);
  /// Why the pod does not fit on a node: the reasons of the first rule that fails, or the error; "": it fits.
  std::string why_not(const Pod& pod, NodeId node) const;

 private:
  Choice choose_now(const Pod& pod) const;
  void preempt(const Engine& engine, const Pod& pod, Placement& placement);
  void take(const Pod& pod, const Choice& choice, Placement& placement);

  State& state_;
  const Engines& engines_;
  const PlacerOptions options_;
  std::vector<NodeId> nodes_;  ///< All, in order of name.
};

/// Puts the pod on a node of the state that it fits, with the volumes that its claims take. Its nomination
/// ends. @return what the volumes and claims were before.
Reserved put_on_node(State& state, const RuleSet& rules, const Pod& pod, NodeId node);

}  // namespace winnow
