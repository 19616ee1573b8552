// Finds what would help a pod that fits nowhere: changes are tried on the engine, and those told that help.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "cluster/rule/cause.h"
#include "cluster/state/row_values.h"
#include "extender/explain/suggestions.h"

namespace winnow {

class Budget;
class Engine;
class View;
struct Pod;

/// The causes of all rules that refuse a node, by its place among the nodes.
using CausesOf = std::function<std::vector<const Cause*>(std::size_t)>;

/// Finds what would help. A node is considered where one change, or two, take all its causes away; two where
/// no single change helps. A new node has the pods of the cluster's DaemonSets first.
/// @param nodes  that are asked about; all refuse the pod. It is to go to one of them, or to a new one of
///   their kinds. @param budget  null: unlimited. It ends the search, and what was found stays.
Help find_help(const Engine& engine, const View& view, const Pod& pod, std::span<const NodeId> nodes,
               const CausesOf& causes_of, const Budget* budget);

}  // namespace winnow
