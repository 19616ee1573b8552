// The cluster from files, as kubectl writes them.
//
// cluster/feed brings objects in. source.h reads bytes, document.h makes values of JSON or YAML, and this
// makes objects of them: v1 List, any List of a known kind (PodList, …), a single object, several documents.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/model/node.h"
#include "cluster/model/pod.h"
#include "cluster/model/storage.h"
#include "cluster/model/workload.h"

namespace winnow {

/// Everything that was read, each kind in the order of the files. Of objects with the same kind, namespace
/// and name only the last one is there, at the place of the first.
struct ClusterObjects {
  std::vector<Pod> pods;  ///< None that has Succeeded or Failed.
  std::vector<Node> nodes;
  std::vector<Namespace> namespaces;
  std::vector<Service> services;
  std::vector<ReplicationController> replication_controllers;
  std::vector<ReplicaSet> replica_sets;
  std::vector<StatefulSet> stateful_sets;
  std::vector<PodDisruptionBudget> pod_disruption_budgets;
  std::vector<PersistentVolume> persistent_volumes;
  std::vector<PersistentVolumeClaim> persistent_volume_claims;
  std::vector<StorageClass> storage_classes;
  std::vector<CsiNode> csi_nodes;
  std::vector<CsiDriver> csi_drivers;
  std::vector<CsiStorageCapacity> csi_storage_capacities;
  std::vector<VolumeAttachment> volume_attachments;

  std::size_t finished_pods = 0;  ///< Left out because they have Succeeded or Failed.
  std::map<std::string, std::size_t>
      skipped;  ///< How many of each unknown kind ("Ingress.networking.k8s.io").
};

/// `cluster.json: items[3].spec.nodeName: 5 is not a string`, `x.yaml: line 2, column 3: …`; from the second
/// document of a file on its number stands before the path.
struct FeedError {
  std::string message;
};

/// Reads the files, one after another; "-" is standard input. Plain or gzip, JSON or YAML; at most 4 GiB
/// each. Items of a typed list need no kind of their own. An object without a name is an error, as is a text
/// without documents; without a namespace it is in "default"; a pod without a uid has "NAMESPACE/NAME" for
/// one.
std::expected<ClusterObjects, FeedError> read_cluster(std::span<const std::string> files);

/// The same for one text; `name` is what errors call it.
std::expected<ClusterObjects, FeedError> read_cluster_text(std::string_view name, std::string text);

}  // namespace winnow
