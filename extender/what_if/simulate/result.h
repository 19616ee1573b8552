// What a simulation has found, and what the pods of each node request, before and after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "extender/what_if/simulate/batch.h"
#include "extender/what_if/simulate/placer.h"
#include "extender/what_if/simulate/shortage.h"
#include "extender/what_if/simulate/unjudged.h"

namespace winnow {

class State;

/// Sums of requests and of what nodes offer. CPU in thousandths of a core, memory in bytes.
struct Amounts {
  std::int64_t cpu = 0, memory = 0, pods = 0;
  bool operator==(const Amounts&) const = default;
  Amounts& operator+=(const Amounts& other);
};

struct NodeFill {
  std::string name;
  std::string zone;  ///< The label topology.kubernetes.io/zone, or its beta form; "" without one.
  Amounts allocatable;
  /// Of a zone whose nodes come or go: what its nodes offered before.
  std::optional<Amounts> allocatable_before = {};
  std::optional<Amounts> before;  ///< Nothing: the node came later.
  std::optional<Amounts> after;   ///< Nothing: the node is gone.
};

/// Numbers the nodes of a simulation, also those that come or go meanwhile.
class UsageBook {
 public:
  /// Notes all nodes of the state as they are before anything happens.
  explicit UsageBook(const State& state);
  /// The number of a node; one that is not known yet is added.
  std::uint32_t number_of(const State& state, std::string_view node);
  /// Notes all nodes as they are now, and gives the list away.
  std::vector<NodeFill> finish(const State& state);

 private:
  std::uint32_t add(const State& state, NodeId id);

  std::vector<NodeFill> nodes_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Nodes by zone, in order of zone; those without one are left out. `name` is empty. `before` and `after` are
/// sums over the nodes that are there at that time, and so are `allocatable_before` and `allocatable`.
std::vector<NodeFill> by_zone(const std::vector<NodeFill>& nodes);

/// The zones whose nodes are all gone.
std::vector<std::string> lost_zones(const std::vector<NodeFill>& nodes);

// What a simulation has found.

/// Why the simulation met a pod.
enum class PodOrigin : std::uint8_t {
  kWaiting,    ///< It is pending in the cluster.
  kNew,        ///< Of a file.
  kDrained,    ///< It was on a node that is drained.
  kLost,       ///< It was on a node that was removed.
  kPreempted,  ///< It was evicted for a pod of higher priority.
  kFailed,     ///< It was on a node that has failed.
};

/// What became of it.
enum class PodEnd : std::uint8_t {
  kUntried,    ///< The run was cut short.
  kPlaced,     ///< On a node.
  kNowhere,    ///< No node fits.
  kGated,      ///< It waits for its scheduling gates; nobody tried.
  kBlocked,    ///< It stays on the node that is drained: a disruption budget forbids its eviction.
  kNotRemade,  ///< It has left its node, and no controller makes it anew.
  kStuck,      ///< On a failed node, being deleted; its StatefulSet makes no other before it is gone.
};
inline constexpr std::size_t kPodEnds = 7;

/// One pod, kept small: there may be hundreds of thousands. Its name is that of Batch::pod_name(); a pod that
/// a controller makes anew has a new name in truth, and here that of the one that left.
struct SimulatedPod {
  std::uint32_t batch = 0, index = 0;  ///< Of SimulationResult::batches.
  std::uint32_t node = kNone;          ///< Of SimulationResult::nodes: where it is now.
  std::uint32_t from = kNone;          ///< Of SimulationResult::nodes: where it was before.
  std::uint32_t why = kNone;  ///< Of SimulationResult::whys; kNone where it is placed, or was not tried.
  PodEnd end = PodEnd::kUntried;
  PodOrigin origin = PodOrigin::kNew;
};

/// A reason that pods share.
struct Why {
  std::string text;                                          ///< In upstream's words.
  std::vector<std::pair<std::string, std::size_t>> reasons;  ///< As in Placement.
  std::size_t pods = 0;                                      ///< That are left with it.
};

/// Pods repeated until one fits nowhere.
struct UntilFull {
  std::size_t pods = 0;    ///< That were placed.
  std::size_t round = 0;   ///< The pods of one round: all that were given.
  std::size_t rounds = 0;  ///< Whole rounds.
  std::string stopped_by;  ///< "namespace/name" of the pod that fits nowhere; "": the limit was reached.
  Why why;
  /// What shuts the nodes that have taken a pod like it here, or fitted one before the first was placed.
  Shortage shortage;
};

/// A DaemonSet's pod on a node that was added.
struct NewDaemonPod {
  std::string daemon_set;  ///< "namespace/name"
  std::string node;
  std::string why;  ///< Why it does not fit there, and stays pending; "": it is placed.
};

/// Nodes that were added, and what came on them first.
struct NewNodes {
  std::size_t nodes = 0;
  std::vector<NewDaemonPod>
      pods;  ///< In the order in which they came. SimulationResult::pods has none of them.
  std::vector<std::string> unsure;  ///< The DaemonSets with KnownDaemonSet::is_unsure, each once.

  std::size_t pending() const;
};

/// Nodes of a template added until all pods fit.
struct NodesNeeded {
  std::size_t nodes = 0;  ///< That were added. The pods that wait are tried again after each.
  std::vector<std::pair<std::string, std::size_t>> of_templates = {};  ///< The same by template, in turn.
  std::size_t waited = 0, left = 0;  ///< Pods that fitted nowhere before, and that fit nowhere now.
  bool enough = false;               ///< All pods fit.
  /// If not: why a pod does not fit on the last node either, which has pods of DaemonSets alone; "": the
  /// limit was reached.
  std::string why;
  std::string pod;  ///< "namespace/name" of that pod.
  /// The DaemonSets whose pods are in its way there: without any of these, or without all, it would fit.
  std::vector<std::string> in_the_way;
};

/// How many pods of a workload are on nodes that work.
struct Running {
  std::size_t before = 0, after = 0;
};

/// A workload whose pods are placed, and which the cluster has already.
struct KnownBefore {
  std::string workload;                    ///< As Batch::name().
  std::size_t on_nodes = 0, waiting = 0;   ///< Its pods in the cluster.
  std::size_t made = 0;                    ///< Pods that come, in one round.
  std::size_t gone = 0;                    ///< Pods that go.
  std::optional<std::size_t> wanted = {};  ///< The pods that it is scaled to; nothing: it is not scaled.
};

struct SimulationResult {
  std::vector<Batch> batches;      ///< In the order in which their first pods were met.
  std::vector<SimulatedPod> pods;  ///< In the order in which they were met.
  std::vector<Why> whys;
  std::vector<NodeFill> nodes;  ///< In order of name, those of the cluster first; then those added.
  std::size_t evictions = 0;    ///< By drains and preemptions.
  /// Of DaemonSets and kubelets: those that stay on their nodes, drained or failed, and those that went with
  /// them.
  std::size_t daemon_pods_stay = 0, daemon_pods_went = 0;
  std::size_t failed_nodes = 0;
  std::size_t leaving = 0;  ///< Pods of drained nodes that were being deleted anyhow.
  /// In the order in which they were taken; an object may be there more than once.
  Reserved reserved;
  NewNodes new_nodes;
  std::vector<KnownBefore> known_before;
  std::map<std::string, Running> running;  ///< By Batch::name(): workloads that had pods to place anew.
  Amounts nowhere;                         ///< What the pods request that fit nowhere.
  std::vector<std::string> without_pods;   ///< Workloads of files that make no pod, but those.
  std::optional<UntilFull> until_full;
  std::optional<NodesNeeded> nodes_needed;
  Unjudged unjudged;
  bool cut_short = false;  ///< Somebody asked to stop. What is here was found until then.

  std::size_t count(PodEnd end) const;
};

}  // namespace winnow
