// Internal: the read_fields functions of parts that API objects share. Only .cc files include this.
#pragma once

#include <cstdint>
#include <string>

#include "cluster/decode/decoders.h"
#include "cluster/text/json/json_reader.h"

namespace winnow {

/// A time in RFC 3339 form, in seconds since 1970, UTC.
struct Time {
  std::int64_t seconds = 0;
};

/// A quantity may be a string or a number.
bool read_value(const Reader& reader, Quantity& target);
bool read_value(const Reader& reader, Time& target);

// Parts that several kinds share (shapes.cc), parts of pods that configurations have too (pod.cc), and the
// source of a volume (volume.cc).
bool read_fields(const Reader&, ObjectMeta&);
bool read_fields(const Reader&, SelectorRequirement&);
bool read_fields(const Reader&, LabelSelector&);
bool read_fields(const Reader&, NodeSelectorTerm&);
bool read_fields(const Reader&, NodeSelector&);
bool read_fields(const Reader&, NodeAffinity&);
bool read_fields(const Reader&, TopologySpreadConstraint&);
/// Reads the source in a pod's volume or in a PersistentVolume's spec.
bool read_volume_source(const Reader&, Volume&);

/// Reads who has written the status.nominatedNodeName of a pod, and when (nomination.cc).
bool read_nominated_by(const Reader& pod, PodStatus& status);

}  // namespace winnow
