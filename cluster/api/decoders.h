// The decoders of each kind of object and of their parts (decode_pod.cc, decode_device.cc,
// decode_kinds.cc, decode.cc).
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

#include "cluster/api/kinds.h"
#include "cluster/api/quantity.h"
#include "cluster/api/workload.h"
#include "cluster/text/json_reader.h"

namespace winnow {

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
bool read_fields(const Reader&, RuntimeClass&);
bool read_fields(const Reader&, ResourceClaim&);
bool read_fields(const Reader&, ResourceClaimTemplate&);
bool read_fields(const Reader&, ResourceSlice&);
bool read_fields(const Reader&, DeviceTaintRule&);
bool read_fields(const Reader&, NodeMetrics&);
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

// Internal: the read_fields functions of parts that API objects share. Only .cc files include this.

/// A time in RFC 3339 form, in seconds since 1970, UTC.
struct Time {
  std::int64_t seconds = 0;
};

/// A quantity may be a string or a number.
bool read_value(const Reader& reader, Quantity& target);
bool read_value(const Reader& reader, Time& target);

// Parts that several kinds share (decode.cc), parts of pods that configurations and other kinds have too, and
// the source of a volume (both in decode_pod.cc).
bool read_fields(const Reader&, ObjectMeta&);
bool read_fields(const Reader&, SelectorRequirement&);
bool read_fields(const Reader&, LabelSelector&);
bool read_fields(const Reader&, NodeSelectorTerm&);
bool read_fields(const Reader&, NodeSelector&);
bool read_fields(const Reader&, NodeAffinity&);
bool read_fields(const Reader&, TopologySpreadConstraint&);
bool read_fields(const Reader&, Toleration&);
/// Reads the source in a pod's volume or in a PersistentVolume's spec.
bool read_volume_source(const Reader&, Volume&);

/// Reads who has written the status.nominatedNodeName of a pod, and when (decode.cc).
bool read_nominated_by(const Reader& pod, PodStatus& status);

}  // namespace winnow
