#include "cluster/feed/apply.h"

namespace winnow {
namespace {

std::string key_of(const std::string& ns, const std::string& name) {
  return ns.empty() ? name : ns + '/' + name;
}

template <class T>
void store(Store<T>& into, T object) {
  std::string key = key_of(object.metadata);
  into.insert_or_assign(std::move(key), std::move(object));
}

}  // namespace

void apply(State& state, const Pod& pod) { state.set_pod(pod); }
void apply(State& state, const Node& node) { state.set_node(node); }
void apply(State& state, Namespace object) { store(state.objects.namespaces, std::move(object)); }
void apply(State& state, const Service& service) {
  state.workloads.set_service(service.metadata, service.selector);
}
void apply(State& state, const ReplicationController& controller) {
  state.workloads.set(WorkloadKind::kReplicationController, controller.metadata, controller.selector);
}
void apply(State& state, const ReplicaSet& set) {
  state.workloads.set(WorkloadKind::kReplicaSet, set.metadata, set.selector);
}
void apply(State& state, const StatefulSet& set) {
  state.workloads.set(WorkloadKind::kStatefulSet, set.metadata, set.selector);
}
void apply(State& state, PodDisruptionBudget budget) { store(state.objects.budgets, std::move(budget)); }
void apply(State& state, PersistentVolume volume) { state.volumes.set(std::move(volume)); }
void apply(State& state, PersistentVolumeClaim claim) { state.volumes.set(std::move(claim)); }
void apply(State& state, StorageClass storage_class) { state.volumes.set(std::move(storage_class)); }
void apply(State& state, CsiNode csi_node) { state.volumes.set(std::move(csi_node)); }
void apply(State& state, CsiDriver driver) { store(state.objects.csi_drivers, std::move(driver)); }
void apply(State& state, CsiStorageCapacity capacity) { state.volumes.set(std::move(capacity)); }
void apply(State& state, VolumeAttachment attachment) { state.volumes.set(std::move(attachment)); }

template <>
void remove<Pod>(State& state, const std::string& ns, const std::string& name) {
  state.remove_pod(ns, name);
}
template <>
void remove<Node>(State& state, const std::string&, const std::string& name) {
  state.remove_node(name);
}
template <>
void remove<Namespace>(State& state, const std::string&, const std::string& name) {
  state.objects.namespaces.erase(name);
}
template <>
void remove<Service>(State& state, const std::string& ns, const std::string& name) {
  state.workloads.remove(WorkloadKind::kService, ns, name);
}
template <>
void remove<ReplicationController>(State& state, const std::string& ns, const std::string& name) {
  state.workloads.remove(WorkloadKind::kReplicationController, ns, name);
}
template <>
void remove<ReplicaSet>(State& state, const std::string& ns, const std::string& name) {
  state.workloads.remove(WorkloadKind::kReplicaSet, ns, name);
}
template <>
void remove<StatefulSet>(State& state, const std::string& ns, const std::string& name) {
  state.workloads.remove(WorkloadKind::kStatefulSet, ns, name);
}
template <>
void remove<PodDisruptionBudget>(State& state, const std::string& ns, const std::string& name) {
  state.objects.budgets.erase(key_of(ns, name));
}
template <>
void remove<PersistentVolume>(State& state, const std::string&, const std::string& name) {
  state.volumes.remove_volume(name);
}
template <>
void remove<PersistentVolumeClaim>(State& state, const std::string& ns, const std::string& name) {
  state.volumes.remove_claim(ns, name);
}
template <>
void remove<StorageClass>(State& state, const std::string&, const std::string& name) {
  state.volumes.remove_class(name);
}
template <>
void remove<CsiNode>(State& state, const std::string&, const std::string& name) {
  state.volumes.remove_csi_node(name);
}
template <>
void remove<CsiDriver>(State& state, const std::string&, const std::string& name) {
  state.objects.csi_drivers.erase(name);
}
template <>
void remove<CsiStorageCapacity>(State& state, const std::string& ns, const std::string& name) {
  state.volumes.remove_capacity(ns, name);
}
template <>
void remove<VolumeAttachment>(State& state, const std::string&, const std::string& name) {
  state.volumes.remove_attachment(name);
}

}  // namespace winnow
