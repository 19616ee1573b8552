// The pods that come of files: of Deployments, Jobs and the like, as their controllers and the API server
// would make them. Nothing here writes to a cluster.
//
// The way of an object: workload_reader.h decodes it, and refuses what the API server would. controllers.h
// says what its controller adds, and admission.h what the API server does. pod_set.h has what comes out, and
// makes pods of it, one by one. docs/what-if.md says what holds for users.
//
// Upstream: kubernetes v1.37.0, pkg/controller/{controller_utils.go,replicaset,deployment,statefulset,daemon,
// job,cronjob}, pkg/controller/{volume/ephemeral,resourceclaim}, plugin/pkg/admission,
// pkg/registry/batch/job/strategy.go.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/expand/pod_set.h"
#include "cluster/expand/workload_reader.h"
#include "cluster/files/cluster_objects.h"
#include "cluster/files/object_reader.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

class Reader;
class State;

/// An object of a kind that makes pods in another way than the kinds that are known here.
struct LeftOut {
  std::string object;         ///< "RayCluster.ray.io ml/train"
  std::string template_path;  ///< The first template of pods in it: "spec.headGroupSpec.template".

  bool operator==(const LeftOut&) const = default;
};

struct NewObjects {
  /// The objects that are to be put into the state first, by load(): those of the files that make no pods,
  /// and controllers that rules look at. A Deployment's ReplicaSet is among them. It has no pods. Its
  /// `refused` and `finished_pods` tell of the pods in `sets`; each pod of a set counts.
  ClusterObjects added;
  std::vector<PodSet> sets;       ///< In the order of the files.
  std::vector<LeftOut> left_out;  ///< The same.
};

struct ExpandOptions {
  /// spec.replicas of Deployments, ReplicaSets, StatefulSets and ReplicationControllers, and spec.parallelism
  /// of Jobs, which their completions still bound. Pods and DaemonSets have no such number.
  std::optional<std::uint32_t> replicas = {};
  /// Nodes of the cluster that get no pod of a DaemonSet here. They were added: see PodSet::on_new_node().
  std::span<const std::string> new_nodes = {};
};

/// The most pods of one object.
inline constexpr std::uint32_t kMostPodsOfObject = 1'000'000;

/// Reads files as read_cluster() does, with its limits and errors. Of equal objects the last one counts, at
/// the place of the first. An error that is not of the text names the object: `web.yaml: Deployment shop/web:
/// spec.replicas: Invalid value: -1: must be greater than or equal to 0`. Errors are also: a pod that
/// exists, a pod that names its node, a PriorityClass that nobody has, what a LimitRange or a RuntimeClass
/// forbids, and files that have no pods but of kinds that are left out. Other fields that the API server
/// would refuse are noted in `added.refused`. Where nobody has any RuntimeClass, the sets of those that ask
/// for one say so in not_judged().
/// @param cluster  the state that the pods come into: its nodes, pods, claims, PriorityClasses, LimitRanges,
///   RuntimeClasses, StorageClasses and ResourceClaimTemplates (needs::kNewPods). It is not kept.
std::expected<NewObjects, FileError> read_new_objects(std::span<const std::string> files,
                                                      const ExpandOptions& options, const State& cluster);

/// The same for one text; `name` names it in errors.
std::expected<NewObjects, FileError> read_new_objects_text(std::string_view name, std::string text,
                                                           const ExpandOptions& options,
                                                           const State& cluster);

// Internal: the objects of files, told apart: those that make pods, and others. Only .cc files include this.

/// What files hold.
struct Found {
  std::vector<Workload> workloads;
  ClusterObjects others;
  std::vector<LeftOut> left_out;
  std::string first_left_out;        ///< The error for it, where there is nothing else.
  TextMap<std::string> claim_files;  ///< The file of a PersistentVolumeClaim, by NAMESPACE/NAME.
};

/// Takes the objects of files in.
class Collector {
 public:
  /// An ObjectVisitor. @return false at an error of the object; the reader has been told then.
  bool take(std::string_view file, const Reader& object, const TypeMeta& type);
  Found finish();

 private:
  bool take_workload(std::string_view file, const Reader& object, const TypeMeta& type, Maker maker);
  bool note_claim(std::string_view file, const Reader& object);

  Gatherer gatherer_;
  Found found_;
  TextMap<std::size_t> places_;  ///< By source_of(): the index in found_.workloads.
  std::vector<std::string> repeated_;
};

}  // namespace winnow
