// The pods of a result, counted by workload and by node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "extender/simulate/result.h"

namespace winnow {

/// The pods of one workload that have one origin.
struct WorkloadTally {
  std::string name;  ///< As Batch::name().
  PodOrigin origin = PodOrigin::kNew;
  std::size_t pods = 0;
  std::size_t ends[kPodEnds] = {};              ///< By PodEnd.
  std::map<std::uint32_t, std::size_t> placed;  ///< By node, of SimulationResult::nodes.
  std::map<std::uint32_t, std::size_t> from;    ///< The same, of where pods were before.

  std::size_t of(PodEnd end) const { return ends[static_cast<std::size_t>(end)]; }
};

/// In the order in which their first pods were met.
std::vector<WorkloadTally> tally_workloads(const SimulationResult& result);

/// The pods that ended so for one reason, by workload.
struct ReasonTally {
  std::uint32_t why = kNone;  ///< Of SimulationResult::whys.
  std::size_t pods = 0;
  std::vector<std::pair<std::string, std::size_t>> workloads;  ///< In the order in which they were met.
};
/// Those with the most pods first.
std::vector<ReasonTally> tally_reasons(const SimulationResult& result, PodEnd end);

/// The words that programs get: "new", "placed".
std::string_view to_string(PodOrigin origin);
std::string_view to_string(PodEnd end);

}  // namespace winnow
