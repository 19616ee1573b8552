// The pods of one workload, as the simulation meets them, and PodDisruptionBudgets as pods leave and return.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cluster/api/device.h"
#include "cluster/api/pod.h"
#include "cluster/api/selector.h"
#include "cluster/expand/pod_set.h"

namespace winnow {

class State;

/// Keeps the status of each budget of a state as the disruption controller would. Every pod on a node counts
/// as healthy, a new one at once. Where a status says how many are healthy, one more is allowed for each
/// above the desired number. Else a pod that comes allows one, and one that goes takes one.
///
/// Used by one thread; the state outlives it.
/// Upstream: pkg/controller/disruption/disruption.go updatePdbStatus v1.37.0.
class Budgets {
 public:
  explicit Budgets(State& state);

  /// Whether the eviction API refuses to evict a pod of a node. @return its words; nothing: it evicts.
  /// Upstream: pkg/registry/core/pod/storage/eviction.go v1.37.0.
  std::optional<std::string> refuses(const ObjectMeta& pod) const;
  /// The pod has left its node.
  void left(const ObjectMeta& pod) { change(pod, -1); }
  /// The pod is on a node.
  void stands(const ObjectMeta& pod) { change(pod, +1); }

 private:
  /// A budget's key in the state, and its selector.
  using Selecting = std::pair<std::string, Selector>;

  std::vector<const std::string*> of(const ObjectMeta& pod) const;
  void change(const ObjectMeta& pod, int by);

  State& state_;
  std::map<std::string, std::vector<Selecting>, std::less<>> by_namespace_;
};

// The pods of one workload, as the simulation meets them.

/// Pods that wait in the state, by namespace and name: they are read from it one by one.
using WaitingNames = std::vector<std::pair<std::string, std::string>>;

/// The pods that one object has: of a file, waiting in the cluster, or on their way from a node. Not copied;
/// used by one thread.
class Batch {
 public:
  using Pods = std::variant<PodSet, WaitingNames, std::vector<Pod>>;

  Batch(std::string name, Pods pods) : name_(std::move(name)), pods_(std::move(pods)) {}

  /// "Deployment shop/web", "Pod shop/web-0"; see workload_of().
  const std::string& name() const { return name_; }
  std::size_t size() const;
  /// The i-th pod, to be placed. Behind the last pod of a PodSet its pods come again, under names of their
  /// own: NAME-2, NAME-3. @param state  has the waiting pods.
  Pod pod(const State& state, std::size_t i) const;
  /// The claims that are made with it.
  std::vector<PersistentVolumeClaim> claims(std::size_t i) const;
  /// The ResourceClaims that are made with it.
  std::vector<ResourceClaim> resource_claims(std::size_t i) const;
  /// "namespace/name" of the i-th pod.
  std::string pod_name(std::size_t i) const;
  /// Adds a waiting pod, or one on its way. @return its index. The batch is not of a PodSet.
  std::size_t add(std::pair<std::string, std::string> waiting);
  std::size_t add(Pod pod);

 private:
  std::string name_;
  Pods pods_;
};

/// The pod as it comes in a later round, with the claims that are made with it renamed. @param round  from 1.
Pod repeated(Pod pod, const std::vector<PersistentVolumeClaim>& claims, std::size_t round);
/// The claims of that pod. @param pod  of the first round. @param repeat  the repeated one.
std::vector<PersistentVolumeClaim> repeated(std::vector<PersistentVolumeClaim> claims, const Pod& pod,
                                            const Pod& repeat, std::size_t round);

/// The ResourceClaims of that pod.
std::vector<ResourceClaim> repeated(std::vector<ResourceClaim> claims, const Pod& repeat, std::size_t round);

/// The object that a pod belongs to: its controller, "StatefulSet data/db"; or itself, "Pod ml/trainer". The
/// pods of a Deployment name their ReplicaSet only, whose name ends in the pods' label pod-template-hash: the
/// Deployment is told by that.
std::string workload_of(const ObjectMeta& pod);

/// Whether it goes with its node: a pod of a DaemonSet, or one that a kubelet makes by itself (a static pod).
bool goes_with_node(const ObjectMeta& pod);

}  // namespace winnow
