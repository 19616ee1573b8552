// The flags of `winnow serve --nominate`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/lease/election_options.h"

namespace CLI {
class App;
}

namespace winnow {

/// What becomes of a gated pod that fits nowhere.
enum class GateWhenInfeasible : std::uint8_t {
  kRelease,  ///< Its gate is removed without a nomination: kube-scheduler reports it, and preempts for it.
  kHold,     ///< It keeps its gate until it fits.
};

struct NominateFlags {
  bool nominate = false;
  std::vector<std::string> schedulers;  ///< schedulerNames of the pods; empty: those of --config's profiles.
  std::string gate;                     ///< The scheduling gate that is removed; "": none.
  GateWhenInfeasible gate_when_infeasible = GateWhenInfeasible::kRelease;
  bool events = true;  ///< Pods' people are told by events.
  bool leader_elect = true;
  /// Without an identity. Without a namespace: that of election_namespace().
  live::LeaderElectionOptions election;
};

/// Adds the flags to `winnow serve`. In its help only --nominate shows; --help-nominate shows the others.
void add_nominate(CLI::App& serve, NominateFlags& flags);

/// The error for flags that contradict each other; "": none. @param live  of a live cluster.
std::string wrong_nominate_flags(const NominateFlags& flags, bool live);

}  // namespace winnow
