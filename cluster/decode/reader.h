// Internal: how the API objects are read, a read_fields for each. Only .cc files include this.
#pragma once

#include <cstdint>

#include "cluster/decode/decoders.h"
#include "cluster/text/json_reader.h"

namespace winnow {

/// RFC 3339, to seconds since 1970.
struct Time {
  std::int64_t seconds = 0;
};

bool read_value(const Reader& reader, Quantity& target);
bool read_value(const Reader& reader, Time& target);

// The shapes that several kinds share (shapes.cc), what configurations have of pods too (pod.cc), and a
// volume's source (volume.cc).
bool read_fields(const Reader&, ObjectMeta&);
bool read_fields(const Reader&, SelectorRequirement&);
bool read_fields(const Reader&, LabelSelector&);
bool read_fields(const Reader&, NodeSelectorTerm&);
bool read_fields(const Reader&, NodeSelector&);
bool read_fields(const Reader&, NodeAffinity&);
bool read_fields(const Reader&, TopologySpreadConstraint&);
/// The fields of a volume's, or a persistent volume's, source.
bool read_volume_source(const Reader&, Volume&);

}  // namespace winnow
