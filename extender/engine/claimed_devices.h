// The devices that a pod's claims would get on a node, for an explanation and for a dry run.
#pragma once

#include <cstddef>
#include <vector>

#include "cluster/devices/held_devices.h"
#include "cluster/function_ref.h"

namespace winnow {

class View;
struct ConfiguredPredicate;
struct Filtered;
struct Request;
struct RuleSet;

/// The rule that judges devices; null: no rule does, as among classic rules, or where claims, slices or
/// classes are not read.
const ConfiguredPredicate* rule_of_devices(const RuleSet& rules, const View& view);

/// Finds the devices that the pod's claims without an allocation would get: for each node of the request that
/// the rule of devices does not refuse take(place among the nodes, devices). They are those that
/// kube-scheduler would choose. Nothing is called for a pod without such claims.
/// @param filtered  of all rules, for this request.
void find_devices(const Filtered& filtered, const Request& request,
                  FunctionRef<void(std::size_t, std::vector<ClaimedDevices>)> take);

/// The same for the first node of the request, without the other rules. Nothing where no rule judges devices.
std::vector<ClaimedDevices> devices_on(const RuleSet& rules, const Request& request);

}  // namespace winnow
