// A state as it was before a simulation has placed pods in it.
#pragma once

#include <vector>

#include "cluster/api/meta.h"
#include "cluster/api/workload.h"

namespace winnow {

class State;
struct SimulationResult;

/// What a simulation without changes, drains and preemption changes in a state: pods that wait, budgets, and
/// the volumes that claims take. So two simulations can begin alike in one state, one after the other.
class StateSnapshot {
 public:
  explicit StateSnapshot(const State& state);
  /// Puts all of it back. The state is then as at the construction.
  /// @param result  what was placed since, in this state.
  void put_back(State& state, const SimulationResult& result) const;

 private:
  std::vector<Pod> pending_;
  Store<PodDisruptionBudget> budgets_;
};

}  // namespace winnow
