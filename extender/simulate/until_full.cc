#include "extender/simulate/until_full.h"

#include <utility>

#include "cluster/api/store.h"

namespace winnow {
namespace {

/// One round. @return false if it ends here.
bool place_round(Simulation& simulation, BatchRange batches, std::size_t most, std::size_t round,
                 UntilFull& full) {
  for (std::uint32_t batch = batches.begin; batch < batches.end; ++batch) {
    const std::size_t size = simulation.result().batches[batch].size();
    for (std::size_t i = 0; i < size; ++i) {
      if (full.pods == most || !simulation.goes_on()) return false;
      const std::size_t index = round * size + i;
      Placement placement = simulation.try_at_once(batch, index);
      if (placement.node.empty()) {
        full.stopped_by = simulation.result().batches[batch].pod_name(index);
        full.why = {.text = std::move(placement.why), .reasons = std::move(placement.reasons), .pods = 1};
        return false;
      }
      ++full.pods;
    }
  }
  return true;
}

}  // namespace

void place_until_full(Simulation& simulation, BatchRange batches, std::size_t most) {
  UntilFull full;
  for (std::size_t batch = batches.begin; batch < batches.end; ++batch)
    full.round += simulation.result().batches[batch].size();
  if (full.round > 0)
    while (place_round(simulation, batches, most, full.rounds, full)) ++full.rounds;
  simulation.result().until_full = std::move(full);
}

}  // namespace winnow
