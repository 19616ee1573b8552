// The nodes that are nearest to taking a pod that fits nowhere, and the causes for which they refuse it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cluster/function_ref.h"
#include "cluster/rule/cause.h"
#include "cluster/rule/rule.h"
#include "extender/explain/decision_record.h"

namespace winnow {

class Engine;
struct Filtered;

/// Finds the causes of each refusal, rule by rule: take(rule, place among the nodes, causes). A rule that
/// finds none of its own refuses the node because of pods that are nominated for it.
/// @param filtered  of all rules, for this request.
void find_all_causes(const Filtered& filtered, const Request& request,
                     FunctionRef<void(std::size_t, std::size_t, std::vector<Cause>)> take);

/// The nodes that are nearest to taking the pod, kNearNodes at most, the nearest first: those whose first
/// refusing rule comes last; of these the ones that lack least of what the pod requests, then by name. A node
/// lacks the share of a request that is not free there, of the resource that lacks most.
/// @param failed_by  by node of the request: see Filtered::failed_by. No node fits.
std::vector<NodeId> nearest_nodes(const Request& request, std::span<const std::uint16_t> failed_by);

/// Asks all rules about these nodes, and finds the causes. What they take is bounded by kMostNearBytes.
/// Throws OutOfTime.
std::vector<NearNode> near_refusals(const Engine& engine, Request request, std::span<const NodeId> nodes);

}  // namespace winnow
