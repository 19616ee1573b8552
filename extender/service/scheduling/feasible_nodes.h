// The nodes where a pod fits, the best of them, and whose pods Winnow decides for where nobody asks it.
// The verbs and the nominator ask an engine about them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extender/engine/engine.h"
#include "extender/reuse/node_totals.h"

namespace winnow {

class Engines;
class NodePicker;
class RefusalCounts;
struct Pod;

/// The predicates' verdicts on the nodes of a request.
struct FeasibleNodes {
  std::optional<std::string> error;  ///< The pod cannot be scheduled at all; nothing else is filled then.
  Filtered filtered;
  std::int64_t feasible = 0;  ///< The number of nodes that fit.

  bool fits() const { return !error && feasible > 0; }
};

/// Runs the predicates, and for classic rules v1.16's checks before them. Throws OutOfTime.
/// @param refusals  the nodes that do not fit are counted there; may be null.
FeasibleNodes find_feasible_nodes(const Request& request, const Engine& engine, PassTimes& times,
                                  RefusalCounts* refusals = nullptr);

/// How many of the nodes are refused for each reason of the first rule that refuses them; with
/// alwaysCheckAllPredicates for each of every such rule. The texts are those of the bound rules in
/// `filtered`, which find_feasible_nodes() has filled.
std::map<std::string_view, std::size_t> count_reasons(const Filtered& filtered, std::size_t nodes);

/// kube-scheduler's text for a pod that none of the nodes fits: "0/5 nodes are available: …".
std::string why_none_fits(const Filtered& filtered, std::size_t nodes);

/// The scores of the nodes that fit, and the one that was picked.
struct BestNode {
  SharedVector<std::size_t> places;  ///< Of the nodes that fit: their indexes in the request.
  SharedVector<NodeId> nodes;        ///< The same nodes, in that order.
  /// In the order of `places`. Empty if only one node fits: nothing to score.
  NodeTotals totals;
  ScoreTable scores;       ///< Empty as `totals` is.
  std::size_t picked = 0;  ///< An index of `places`.

  std::size_t place() const { return places[picked]; }
  /// The index in `places` of the best of the others by total; nothing if no other fits.
  std::optional<std::size_t> runner_up() const;
};

/// Scores the nodes that fit, at least one. Picks none: `picked` is 0. Throws OutOfTime.
/// @return the places and totals, or the error of a priority.
std::expected<BestNode, std::string> score_fitting(const Request& request, const Filtered& filtered,
                                                   const Engine& engine, PassTimes& times);

/// The same, and picks one as --answer=best does. Throws OutOfTime.
/// @param pod_key  see pod_key_of().
/// @return the pick, or the error of a priority.
std::expected<BestNode, std::string> pick_best(const Request& request, const Filtered& filtered,
                                               const Engine& engine, const NodePicker& picker,
                                               std::string_view pod_key, PassTimes& times);

// Whose pods Winnow decides for where nobody asks it.

/// The rules for a pod that Winnow decides without being called; null: it is another scheduler's.
/// @param schedulers  Pods with these schedulerNames are decided. Empty: those of the profiles in force, for
/// a
///   Policy "default-scheduler". A name without a profile gets the first profile's rules.
const Engine* engine_for(const Engines& engines, const Pod& pod, const std::vector<std::string>& schedulers);

}  // namespace winnow
