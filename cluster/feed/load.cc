#include "cluster/feed/load.h"

namespace winnow {
namespace {

std::string key_of(const ObjectMeta& meta) {
  return meta.namespace_.empty() ? meta.name : meta.namespace_ + '/' + meta.name;
}

template <class T>
void store(Store<T>& into, std::vector<T>& objects) {
  for (T& object : objects) into.insert_or_assign(key_of(object.metadata), std::move(object));
}

template <class T>
void put(Volumes& into, std::vector<T>& objects) {
  for (T& object : objects) into.set(std::move(object));
}

}  // namespace

void load(State& state, ClusterObjects objects) {
  put(state.volumes, objects.storage_classes);
  put(state.volumes, objects.persistent_volumes);
  put(state.volumes, objects.persistent_volume_claims);
  put(state.volumes, objects.csi_nodes);
  put(state.volumes, objects.csi_storage_capacities);
  put(state.volumes, objects.volume_attachments);
  for (const Node& node : objects.nodes) state.set_node(node);
  for (const Pod& pod : objects.pods) state.set_pod(pod);
  for (const Service& s : objects.services) state.workloads.set_service(s.metadata, s.selector);
  for (const ReplicationController& c : objects.replication_controllers)
    state.workloads.set(WorkloadKind::kReplicationController, c.metadata, c.selector);
  for (const ReplicaSet& s : objects.replica_sets)
    state.workloads.set(WorkloadKind::kReplicaSet, s.metadata, s.selector);
  for (const StatefulSet& s : objects.stateful_sets)
    state.workloads.set(WorkloadKind::kStatefulSet, s.metadata, s.selector);
  store(state.objects.namespaces, objects.namespaces);
  store(state.objects.csi_drivers, objects.csi_drivers);
  store(state.objects.budgets, objects.pod_disruption_budgets);
}

}  // namespace winnow
