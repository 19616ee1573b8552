// The same pods under two configurations, A and B.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/expand/pod_set.h"
#include "extender/compare/comparison.h"
#include "extender/simulate/simulation.h"

namespace winnow {

/// One configuration and the cluster as it reads it. Both sides may have one state, if their rules read it
/// with the same options; else two states of the same objects.
struct Side {
  State& state;
  const Engines& engines;
};

struct CompareOptions {
  std::optional<std::uint64_t> seed;  ///< See ChooseOptions.
  std::string pod;                    ///< "namespace/name" whose PodDetail is wanted; "": none.
};

/// The pods to place.
struct ToPlace {
  bool pending = true;       ///< Those that wait in the cluster.
  std::vector<PodSet> sets;  ///< Of files.
};

/// Places the pods under B, then under A, one after another as a Simulation does, both times from the same
/// state. Where the choices differ, B is asked for the same pod on A's state: a ChoiceTurn, or kEarlier where
/// it chooses as A there. After a stop in B's part, A places as many pods as B has.
///
/// The states end as A's run has left them; nobody else uses them meanwhile.
/// @param progress  may be empty.
Comparison compare_placing(const Side& a, const Side& b, const ToPlace& pods, const CompareOptions& options,
                           const Progress& progress);

/// Asks for each pod that runs, by name, where it would go now: without it on its node, and all others where
/// they are. It stays where no node has a higher total. Pods of DaemonSets, static pods and pods that are
/// being deleted are left out. No state changes.
/// @param b  null: A's choice is compared with the node that the pod has.
Comparison compare_placed(const Side& a, const Side* b, const CompareOptions& options,
                          const Progress& progress);

}  // namespace winnow
