// The zones that a volume's label names.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "cluster/state/view.h"

namespace winnow::predicates {

inline constexpr const char* kBetaZone = "failure-domain.beta.kubernetes.io/zone";
inline constexpr const char* kBetaRegion = "failure-domain.beta.kubernetes.io/region";
inline constexpr const char* kZone = "topology.kubernetes.io/zone";
inline constexpr const char* kRegion = "topology.kubernetes.io/region";

inline constexpr const char* kZoneConflict = "node(s) had no available volume zone";

/// "a__b" is two zones. Those that no node has are left out. A value with an empty one in it says nothing.
/// Upstream: cloud-provider volume/helpers/zones.go LabelZonesToSet v1.16.15, v0.37.0.
std::optional<std::vector<Symbol>> zones_in(const View& view, std::string_view value);

}  // namespace winnow::predicates
