// What a call costs at run time, in Kubernetes' units.
// Upstream: cel-go v0.29.2 interpreter/runtimecost.go and ext/{lists,sets,costs}.go; k8s.io/apiserver v0.37.0
// pkg/cel/library/cost.go.
#pragma once

#include <cstdint>
#include <string_view>

#include "cluster/cel/function.h"
#include "cluster/cel/value.h"

namespace winnow::cel {

inline constexpr std::uint64_t kListCost = 10;
inline constexpr std::uint64_t kMapCost = 30;
inline constexpr std::uint64_t kObjectCost = 40;

/// The cost of a call, of its arguments and its result. An argument may be an error.
using CallCost = std::uint64_t (*)(Arguments arguments, const Value& result);

/// The rule by which a call is counted.
/// @param overload  the id of the one overload that may apply; empty if several may.
CallCost call_cost(std::string_view function, std::string_view overload);

/// Whether the cost hangs on the result. Others are charged before the call is computed.
bool needs_result(CallCost cost);

}  // namespace winnow::cel
