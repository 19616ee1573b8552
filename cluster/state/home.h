// The home of each kind: where an event puts an object into the state, and takes it out.
#pragma once

#include <string>
#include <utility>

#include "cluster/state/state.h"

namespace winnow {

/// The home of a kind. The general one keeps objects unchanged in Objects. A kind with an index has a
/// specialisation below. A kind with neither does not compile.
///
/// set() adds an object, or replaces the one of the same namespace and name. remove() takes out the object of
/// that name; an unknown name is ignored. Pods of a live cluster go through AssumedPods instead. Not
/// synchronised: see State.
template <class Object>
struct Home {
  static void set(State& state, Object object) {
    std::string key = key_of(object.metadata);
    state.objects.of<Object>().insert_or_assign(std::move(key), std::move(object));
  }
  static void remove(State& state, const std::string& ns, const std::string& name) {
    state.objects.of<Object>().erase(key_of(ns, name));
  }
};

template <>
struct Home<Pod> {
  static void set(State& state, const Pod& pod) { state.set_pod(pod); }
  static void remove(State& state, const std::string& ns, const std::string& name) {
    state.remove_pod(ns, name);
  }
};

template <>
struct Home<Node> {
  static void set(State& state, const Node& node) { state.set_node(node); }
  static void remove(State& state, const std::string&, const std::string& name) { state.remove_node(name); }
};

template <>
struct Home<Service> {
  static void set(State& state, const Service& service) {
    state.workloads.set_service(service.metadata, service.selector);
  }
  static void remove(State& state, const std::string& ns, const std::string& name) {
    state.workloads.remove(WorkloadKind::kService, ns, name);
  }
};

/// The home of a controller, which owns pods.
template <WorkloadKind kKind, class Object>
struct ControllerHome {
  static void set(State& state, const Object& object) {
    state.workloads.set(kKind, object.metadata, object.selector);
  }
  static void remove(State& state, const std::string& ns, const std::string& name) {
    state.workloads.remove(kKind, ns, name);
  }
};
template <>
struct Home<ReplicationController>
    : ControllerHome<WorkloadKind::kReplicationController, ReplicationController> {};
template <>
struct Home<ReplicaSet> : ControllerHome<WorkloadKind::kReplicaSet, ReplicaSet> {};
template <>
struct Home<StatefulSet> : ControllerHome<WorkloadKind::kStatefulSet, StatefulSet> {};

/// The home of a storage object.
/// @tparam kRemove  the member of Volumes that removes it.
template <class Object, auto kRemove>
struct VolumesHome {
  static void set(State& state, Object object) { state.volumes.set(std::move(object)); }
  static void remove(State& state, const std::string& ns, const std::string& name) {
    if constexpr (requires { (state.volumes.*kRemove)(ns, name); })
      (state.volumes.*kRemove)(ns, name);
    else
      (state.volumes.*kRemove)(name);
  }
};
template <>
struct Home<PersistentVolume> : VolumesHome<PersistentVolume, &Volumes::remove_volume> {};
template <>
struct Home<PersistentVolumeClaim> : VolumesHome<PersistentVolumeClaim, &Volumes::remove_claim> {};
template <>
struct Home<StorageClass> : VolumesHome<StorageClass, &Volumes::remove_class> {};
template <>
struct Home<CsiNode> : VolumesHome<CsiNode, &Volumes::remove_csi_node> {};
template <>
struct Home<CsiStorageCapacity> : VolumesHome<CsiStorageCapacity, &Volumes::remove_capacity> {};
template <>
struct Home<VolumeAttachment> : VolumesHome<VolumeAttachment, &Volumes::remove_attachment> {};

}  // namespace winnow
