// The decoder of each kind of object, defined in pod.cc, node.cc, workload.cc, storage.cc and admission.cc.
#pragma once

#include <concepts>

#include "cluster/api/kinds.h"

namespace winnow {

class Reader;

/// Reads the fields of an object. @return false at the first field of a wrong type; the error is then set.
bool read_fields(const Reader&, Pod&);
bool read_fields(const Reader&, Node&);
bool read_fields(const Reader&, Namespace&);
bool read_fields(const Reader&, Service&);
bool read_fields(const Reader&, ReplicationController&);
bool read_fields(const Reader&, ReplicaSet&);
bool read_fields(const Reader&, StatefulSet&);
bool read_fields(const Reader&, PodDisruptionBudget&);
bool read_fields(const Reader&, PersistentVolume&);
bool read_fields(const Reader&, PersistentVolumeClaim&);
bool read_fields(const Reader&, StorageClass&);
bool read_fields(const Reader&, CsiNode&);
bool read_fields(const Reader&, CsiDriver&);
bool read_fields(const Reader&, CsiStorageCapacity&);
bool read_fields(const Reader&, VolumeAttachment&);
bool read_fields(const Reader&, PriorityClass&);
bool read_fields(const Reader&, LimitRange&);
bool read_fields(const Reader&, DeviceClass&);
/// This kind has no row in kKinds: only the watch of API servers reads it.
bool read_fields(const Reader&, EndpointSlice&);

/// A struct that has a decoder.
template <class Object>
concept Decodable = requires(const Reader& reader, Object& object) {
  { read_fields(reader, object) } -> std::same_as<bool>;
};

static_assert(
    std::apply([]<class... Objects>(const Kind<Objects>&...) { return (Decodable<Objects> && ...); }, kKinds),
    "a row of kKinds has no decoder");

}  // namespace winnow
