// One object of any kind into the state, or out of it.
#pragma once

#include <string>

#include "cluster/state/state.h"

namespace winnow {

/// "NAMESPACE/NAME", or the name of what has no namespace.
inline std::string key_of(const ObjectMeta& meta) {
  return meta.namespace_.empty() ? meta.name : meta.namespace_ + '/' + meta.name;
}

// As an event adds or replaces it. Pods of a live cluster go through AssumedPods instead.
void apply(State& state, const Pod& pod);
void apply(State& state, const Node& node);
void apply(State& state, Namespace object);
void apply(State& state, const Service& service);
void apply(State& state, const ReplicationController& controller);
void apply(State& state, const ReplicaSet& set);
void apply(State& state, const StatefulSet& set);
void apply(State& state, PodDisruptionBudget budget);
void apply(State& state, PersistentVolume volume);
void apply(State& state, PersistentVolumeClaim claim);
void apply(State& state, StorageClass storage_class);
void apply(State& state, CsiNode csi_node);
void apply(State& state, CsiDriver driver);
void apply(State& state, CsiStorageCapacity capacity);
void apply(State& state, VolumeAttachment attachment);

/// As an event removes the object of that kind; nothing where there is none.
template <class Object>
void remove(State& state, const std::string& ns, const std::string& name);

}  // namespace winnow
