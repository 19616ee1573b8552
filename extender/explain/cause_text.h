// Causes in words: of one node, and summed over nodes.
#pragma once

#include <string>
#include <vector>

#include "cluster/rule/cause.h"

namespace winnow {

struct CauseSum;
struct Explanation;
struct FailureGroup;

/// The cause in words, without the node: "wants 6 cpu: 4220m of 8 are free, 9 pods request 3780m". A kind
/// that is not known, as of a later Winnow, gives its fields.
std::string to_text(const Cause& cause);

/// "pool=genral", "zone in (a, b)", "disk must be there", "cores > 4": of a label or a field.
std::string requirement_text(const Cause& cause);

/// The causes of a group's first failing rule, summed over its nodes: those of the nearest nodes first, then
/// the one of most nodes. A resource is told by the node that has most of it free, a taint and a label by how
/// many nodes have it.
std::vector<CauseSum> sum_causes(const FailureGroup& group);
/// The causes of the rules that refuse the group's nearest nodes, too, rule by rule, summed over these nodes.
std::vector<CauseSum> sum_behind(const FailureGroup& group);
/// sum_causes() of the first groups, one after another.
std::vector<CauseSum> summarize(const Explanation& explanation);

}  // namespace winnow
