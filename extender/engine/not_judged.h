// What an explanation asks beside the verdicts: the causes of a refusal, and what no rule judges of a pod.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cluster/function_ref.h"

namespace winnow {

class View;
struct Cause;
struct ConfiguredPriority;
struct Filtered;
struct Pod;
struct Request;
struct RuleSet;

/// The most causes of one rule on one node: a pod may ask for thousands of resources.
inline constexpr std::size_t kMostCauses = 16;

/// Finds the causes for which a rule refuses nodes: for each node of the request that the matrix of
/// `filtered` has refused by it, take(place among the nodes, causes). The rule is asked anew, as filter keeps
/// no facts.
/// @param filtered  of all rules, for this request.
void find_causes(const Filtered& filtered, std::size_t rule, const Request& request,
                 FunctionRef<void(std::size_t, std::vector<Cause>)> take);

/// Finds the facts that made the scores of a rule that scores: for each node of the request
/// take(place among the nodes, facts). Nothing is called for a rule that tells none, or does not apply.
/// @param request  with the nodes that were scored.
void find_facts(const ConfiguredPriority& rule, const Request& request,
                FunctionRef<void(std::size_t, std::vector<Cause>)> take);

/// What the rules leave out of account for this pod, a text for each: what devices provide, where no rule
/// judges devices, and with classic rules the fields that v1.16 does not have.
/// "spec.topologySpreadConstraints: these rules do not know it".
std::vector<std::string> not_judged(const RuleSet& rules, const View& view, const Pod& pod);

}  // namespace winnow
