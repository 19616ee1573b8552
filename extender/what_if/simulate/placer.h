// Places pods one after another, as kube-scheduler would: the choice of a node, the volumes, and the state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/api/pod.h"
#include "cluster/api/storage.h"
#include "cluster/function_ref.h"
#include "extender/service/scheduling/feasible_nodes.h"

namespace winnow {

class Engines;
class State;
class View;
struct RuleSet;

/// A node, or why there is none. Ids are the view's.
struct Choice {
  const Engine* engine = nullptr;  ///< The pod's; null: no profile is for it.
  NodeId node = kNone;
  bool nominated = false;  ///< The pod's nominated node, and no other was asked about.
  BestNode best;           ///< The nodes that fit; `picked` is `node`. Nothing where the call failed.
  bool refused = false;    ///< By the rules, on all nodes; and no error: a preemption may help.
  std::string why;         ///< As in Placement.
  std::vector<std::pair<std::string, std::size_t>> reasons;

  /// Of the node; 0 where one alone fits.
  std::int64_t total() const { return best.totals.empty() ? 0 : best.totals[best.picked]; }
};

struct ChooseOptions {
  /// Seed of the draw among nodes of equal total, which is NodePicker's. Absent: the first by name.
  std::optional<std::uint64_t> seed;
  /// Taken before the draw where no node has a higher total: a pod does not leave its node for an equal one.
  NodeId stays = kNone;
};

/// All nodes, in order of name.
std::vector<NodeId> nodes_by_name(const View& view);

/// The best of the nodes. With today's rules a nominated node is asked about first, and taken if the pod fits
/// there.
/// @param nodes  in order of name, as NodePicker has them.
/// Upstream: pkg/scheduler/schedule_one.go schedulePod, evaluateNominatedNode v1.37.0;
/// core/generic_scheduler.go Schedule v1.16.15.
Choice choose(const Engines& engines, const View& view, const Pod& pod, const std::vector<NodeId>& nodes,
              const ChooseOptions& options);
/// The same, whatever node is nominated.
Choice choose_among(const Engine& engine, const View& view, const Pod& pod, const std::vector<NodeId>& nodes,
                    const ChooseOptions& options);

// The volumes and devices that a pod's claims take on the node that it is placed on.

/// What was changed, as it was before.
struct Reserved {
  std::vector<PersistentVolumeClaim> claims;
  std::vector<PersistentVolume> volumes;
  std::vector<ResourceClaim> resource_claims;
  /// Made for extended resources: namespace and name.
  std::vector<std::pair<std::string, std::string>> new_resource_claims;

  /// Appends what was changed later.
  void append(Reserved later);
};

/// Takes the volumes for a pod's claims that wait for their first consumer, as the rules of volume binding
/// found them. A claim that an existing volume serves is bound to it, as after PreBind and the volume
/// controller. A claim whose volume must be made gets the annotation selected-node, and stays so: where the
/// new volume can be used is the driver's to say. Capacities that drivers report are not reduced.
///
/// Nothing happens where the rules bind no volumes. Call it before the pod is put on its node.
/// @param node  a row of the state, which the pod fits.
/// @return what it has changed.
/// Upstream: pkg/scheduler/framework/plugins/volumebinding/binder.go AssumePodVolumes, BindPodVolumes
/// v1.37.0; pkg/controller/volume/scheduling/scheduler_binder.go AssumePodVolumes v1.16.15.
Reserved reserve_volumes(State& state, const RuleSet& rules, const Pod& pod, NodeId node);

/// Allocates the devices that the rule of devices finds for the pod's claims, as after PreBind and the
/// driver: binding conditions count as met. The resources that a class provides get a claim of their own.
/// Nothing happens where no rule judges devices. Call it before the pod is put on its node. Upstream:
/// pkg/scheduler/framework/plugins/dynamicresources Reserve, PreBind v1.37.2.
Reserved reserve_devices(State& state, const RuleSet& rules, const Pod& pod, NodeId node);

// Places pods one after another in a state, as kube-scheduler would.
//
// extender/what_if/simulate answers "what if": it changes a state of the cluster that nobody else reads, and
// never writes to a cluster. It knows no flags and prints nothing.
//
//   placer.h             one pod: the best node; the same, and the state with the pod on it;
//                        the volumes and devices that its claims take
//   batch.h              the pods of one workload, of files and of the cluster;
//                        disruption budgets, as pods leave and come back
//   changes.h            nodes and pods that come and go before
//   simulation.h         the queue: which pod is next, and which is tried again
//   scenarios.h          evictions, one after another; how often pods fit;
//                        how many nodes they need
//   shortage.h           what shuts the nodes where no more pods fit
//   workloads.h          the workloads that the cluster has already
//   result.h             what was found;
//                        what nodes' pods request, before and after
//   simulation_report.h  the result as a table for people,
//                        and as JSON for programs
//   report_usage.h       the bars of the table

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
  using Chosen = FunctionRef<void(const Choice&)>;

  Placer(State& state, const Engines& engines, const PlacerOptions& options);

  /// Decides, and puts the pod on its node in the state, with the volumes that its claims take: a later pod
  /// sees both. A pod that fits nowhere stays in the state as it was: pending, or not at all.
  /// @param pod  complete; without a node. Its scheduling gates are not looked at.
  /// @param chosen  told of the choice before anything changes; may be empty.
  /// @param may_preempt  if the options allow it.
  Placement place(const Pod& pod, const Chosen& chosen = {}, bool may_preempt = true);
  /// The same on this node, or nowhere; nobody is evicted. @param pod  without a nomination, too.
  Placement place_on(const Pod& pod, NodeId node);
  /// The nodes that the pod fits, in order of name.
  std::vector<NodeId> fitting(const Pod& pod) const;
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

/// Puts the pod on a node of the state that it fits, with the volumes and devices that its claims take. Its
/// nomination ends. @return what these were before.
Reserved put_on_node(State& state, const RuleSet& rules, const Pod& pod, NodeId node);

}  // namespace winnow
