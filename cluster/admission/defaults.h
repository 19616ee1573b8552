// The API server's defaults, for objects that no API server has seen, and what it does to a new pod.
// Such objects are those of files, and of hand-made requests.
//
// An API server sets them on every object that it reads. So objects of a watch, and pods that kube-scheduler
// sends, have them, and these functions change nothing about such an object. They set what a struct of
// cluster/api holds. All other defaults (probes, DNS, sessions, access of volumes, replicas, …) touch no
// field that a rule reads. An empty allocatable that is written out counts as absent, for so an API server
// stores it.
//
// Upstream: kubernetes v1.37.0, SetObjectDefaults_* in pkg/apis/core/v1 (defaults.go,
// zz_generated.defaults.go), in pkg/apis/storage/v1, pkg/apis/scheduling/v1 and pkg/apis/resource/v1. Those
// of apps/v1 and policy/v1 set no field that is held here.
#pragma once

#include "cluster/api/kinds.h"
#include "cluster/api/pod.h"

namespace winnow {

/// - Amounts are rounded up to thousandths.
/// - A container requests what it has a limit for and no request. Init containers too.
/// - With hostNetwork a port of the container is one of the host.
/// - A port's protocol is TCP, schedulerName is default-scheduler.
/// - The pool of an RBD volume is rbd, the kind of an Azure disk is Shared.
void set_defaults(Pod& pod);

/// A node without allocatable has its capacity. Amounts are rounded up to thousandths.
void set_defaults(Node& node);
/// The label kubernetes.io/metadata.name.
void set_defaults(Namespace& name_space);
/// Without a selector it selects by the labels of its template. Without labels it has those, too.
void set_defaults(ReplicationController& controller);
/// The phase Pending, the mode Filesystem, defaults of the source, and amounts in thousandths.
void set_defaults(PersistentVolume& volume);
/// The phase Pending, the mode Filesystem, and amounts in thousandths.
void set_defaults(PersistentVolumeClaim& claim);
/// volumeBindingMode is Immediate.
void set_defaults(StorageClass& storage_class);
/// Defaults of the source of an inline volume.
void set_defaults(VolumeAttachment& attachment);
/// preemptionPolicy is PreemptLowerPriority.
void set_defaults(PriorityClass& priority_class);
/// Limits of containers: what has a maximum and no default limit has it as its default limit. A default limit
/// is the default request, too, and after that the minimum. Amounts are rounded up to thousandths.
void set_defaults(LimitRange& range);
/// Of requests and their alternatives: allocationMode is ExactCount, and the count is 1 then. The operator of
/// tolerations is Equal.
void set_defaults(ResourceClaim& claim);
/// The same.
void set_defaults(ResourceClaimTemplate& made);

// Of these kinds no field that is held has a default, or its default is that of the struct.
inline void set_defaults(Service&) {}
inline void set_defaults(ReplicaSet&) {}
inline void set_defaults(StatefulSet&) {}
inline void set_defaults(PodDisruptionBudget&) {}
inline void set_defaults(CsiNode&) {}
inline void set_defaults(CsiDriver&) {}
inline void set_defaults(CsiStorageCapacity&) {}
inline void set_defaults(DeviceClass&) {}
inline void set_defaults(DeviceTaintRule&) {}
inline void set_defaults(NodeMetrics&) {}
inline void set_defaults(ResourceSlice&) {}
inline void set_defaults(RuntimeClass&) {}

// What an API server does to a pod once, when it is created.
// Upstream: pkg/registry/core/pod/strategy.go PrepareForCreate v1.37.0, with the default feature gates.

/// To be called once for a pod that no API server has stored, after set_defaults().
/// - matchLabelKeys and mismatchLabelKeys become a part of the label selector beside them.
/// - Pod-level requests and limits that are missing follow from those of the containers.
/// - bindMountOptions are dropped: their gate is off.
///
/// The status stays: in a file it says what runs where. The API server would empty it.
void prepare_for_create(Pod& pod);

// Internal to cluster/admission: defaults that several kinds share.

/// Rounds each amount up to thousandths.
/// Upstream: defaults.go SetDefaults_ResourceList v1.37.0.
void round_up(ResourceList& list);

/// Upstream: zz_generated.defaults.go, the sources RBD and AzureDisk, v1.37.0.
void set_source_defaults(Volume& volume);

}  // namespace winnow
