// The zone and region labels, and the zones in a volume's label.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/state/pool.h"

namespace winnow {

class View;

}  // namespace winnow

namespace winnow::predicates {

inline constexpr const char* kBetaZone = "failure-domain.beta.kubernetes.io/zone";
inline constexpr const char* kBetaRegion = "failure-domain.beta.kubernetes.io/region";
inline constexpr const char* kZone = "topology.kubernetes.io/zone";
inline constexpr const char* kRegion = "topology.kubernetes.io/region";

inline constexpr const char* kZoneConflict = "node(s) had no available volume zone";

/// The zones in the value of a volume's label: "a__b" names two. Zones that nothing in the view has are left
/// out. @return nothing for a value with an empty zone in it: upstream ignores such a label.
/// Upstream: cloud-provider volume/helpers/zones.go LabelZonesToSet v1.16.15, v0.37.0.
std::optional<std::vector<Symbol>> zones_in(const View& view, std::string_view value);
/// The same as texts, all of them; empty for such a value.
std::vector<std::string> zone_names(std::string_view value);

}  // namespace winnow::predicates
