// PodTopologySpread's hard constraints: what its two ways to a verdict share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "cluster/rule/rule.h"
#include "cluster/rule/topology_spread.h"

namespace winnow {

struct ObjectMeta;

}  // namespace winnow

namespace winnow::predicates::today {

inline const std::array<std::string, 2> kSpreadReasons = {
    "node(s) didn't match pod topology spread constraints (missing required label)",
    "node(s) didn't match pod topology spread constraints",
};
inline constexpr Verdict kLacksKey = Verdict::of(Fit::kUnresolvable, 0b01);
inline constexpr Verdict kExceedsSkew = Verdict::of(Fit::kUnschedulable, 0b10);

/// The fewest pods of no domain.
inline constexpr std::int64_t kNoDomain = std::numeric_limits<std::int32_t>::max();

/// The pods that a domain may have without this one. @param domains  those that count. @param fewest  the
/// fewest pods of one of them.
std::int64_t most_pods(const TopologyConstraint& constraint, const ObjectMeta& pod, std::size_t domains,
                       std::int64_t fewest);

// By what is kept for the pod's class (see KeptSlot): the domains follow the rows that have changed.

/// Goes on with what the request's slot holds. @return null: it holds nothing that can be followed.
std::unique_ptr<const Predicate> spread_by_kept(const Request& request);
/// Begins to keep. @return null: that cannot be done for these constraints, or not yet.
std::unique_ptr<const Predicate> spread_to_keep(const Request& request,
                                                const std::vector<TopologyConstraint>& constraints);

}  // namespace winnow::predicates::today
