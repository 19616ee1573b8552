// What would help a pod that fits nowhere: the smallest single changes, each tried on the engine.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "cluster/rule/cause.h"
#include "cluster/state/row_values.h"

namespace winnow {

class Budget;
class Engine;
class View;
struct Pod;

/// One change that makes the pod fit. Its kinds and their fields, as of a Cause:
///   request       resource, from, to, container: the container, or "", asks for less
///   toleration    taint: the pod tolerates it
///   requirement   key, operator, wanted, from: the pod's requirement on nodes' labels goes
///   label         key, value: the node gets the label
///   maxSkew       topologyKey, from, to: the constraint allows more
///   uncordon      the node is schedulable again
///   node          like: the cluster gets one more node like this one
struct Suggestion {
  Cause change;
  std::string node;       ///< Where the pod goes then.
  std::size_t nodes = 0;  ///< How many nodes it fits then.

  bool operator==(const Suggestion&) const = default;
};

/// "ask for 4220m cpu, not 6: it goes to node-3".
std::string to_text(const Suggestion& suggestion);

inline constexpr std::size_t kMostSuggestions = 5;

/// What would help, the smallest change first.
struct Help {
  std::vector<Suggestion> suggestions;  ///< At most kMostSuggestions.
  /// No node of the cluster's own kinds would hold the pod, were it empty.
  bool fits_no_empty_node = false;
};

/// The causes of all rules that refuse a node, by its place among the nodes.
using CausesOf = std::function<std::vector<const Cause*>(std::size_t)>;

/// Finds what would help. Nothing where each node refuses the pod for several things.
/// @param nodes  that refuse the pod. @param budget  null: unlimited. It ends the search, and what was found
///   stays.
Help find_help(const Engine& engine, const View& view, const Pod& pod, std::span<const NodeId> nodes,
               const CausesOf& causes_of, const Budget* budget);

}  // namespace winnow
