// The choice of a node for one pod, as kube-scheduler would make it; nothing changes by it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/pod.h"
#include "cluster/state/view.h"
#include "extender/calls/judge.h"
#include "extender/engine/engines.h"

namespace winnow {

/// A node, or why there is none. Ids are the view's.
struct Choice {
  const Engine* engine = nullptr;  ///< The pod's; null: no profile is for it.
  NodeId node = kNone;
  bool nominated = false;  ///< The pod's nominated node, and no other was asked about.
  BestNode best;           ///< The nodes that fit; `picked` is `node`. Nothing where the call failed.
  bool refused = false;    ///< By the rules, on all nodes; and no error: a preemption may help.
  std::string why;         ///< As in Placement.
  std::vector<std::pair<std::string, std::size_t>> reasons;

  /// Of the node; 0 where one alone fits.
  std::int64_t total() const { return best.totals.empty() ? 0 : best.totals[best.picked]; }
};

struct ChooseOptions {
  /// Seed of the draw among nodes of equal total, which is NodePicker's. Absent: the first by name.
  std::optional<std::uint64_t> seed;
  /// Taken before the draw where no node has a higher total: a pod does not leave its node for an equal one.
  NodeId stays = kNone;
};

/// All nodes, in order of name.
std::vector<NodeId> nodes_by_name(const View& view);

/// The best of the nodes. With today's rules a nominated node is asked about first, and taken if the pod fits
/// there.
/// @param nodes  in order of name, as NodePicker has them.
/// Upstream: pkg/scheduler/schedule_one.go schedulePod, evaluateNominatedNode v1.37.0;
/// core/generic_scheduler.go Schedule v1.16.15.
Choice choose(const Engines& engines, const View& view, const Pod& pod, const std::vector<NodeId>& nodes,
              const ChooseOptions& options);
/// The same, whatever node is nominated.
Choice choose_among(const Engine& engine, const View& view, const Pod& pod, const std::vector<NodeId>& nodes,
                    const ChooseOptions& options);

}  // namespace winnow
