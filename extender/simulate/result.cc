#include "extender/simulate/result.h"

#include <algorithm>

namespace winnow {

std::size_t SimulationResult::count(PodEnd end) const {
  return static_cast<std::size_t>(std::ranges::count(pods, end, &SimulatedPod::end));
}

}  // namespace winnow
