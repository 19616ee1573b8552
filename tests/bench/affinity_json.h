// A pod's affinity as an API server writes it.
#pragma once

#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "cluster/api/pod.h"

namespace winnow::bench {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

inline void text(Writer& out, const char* key, std::string_view value) {
  out.Key(key);
  out.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

/// The member "affinity".
void write_spread(Writer& out, const std::vector<TopologySpreadConstraint>& constraints);
void write_affinity(Writer& out, const Affinity& affinity);
/// A label selector's object.
void write_selector(Writer& out, const LabelSelector& selector);

}  // namespace winnow::bench
