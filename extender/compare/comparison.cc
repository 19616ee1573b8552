#include "extender/compare/comparison.h"

#include <algorithm>

namespace winnow {
namespace {

double share_of(std::int64_t part, std::int64_t all) {
  return all <= 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

std::size_t Comparison::count_differing() const {
  return static_cast<std::size_t>(std::ranges::count_if(pods, &ComparedPod::differs));
}

std::size_t Comparison::count_known() const {
  return static_cast<std::size_t>(std::ranges::count_if(pods, &ComparedPod::is_known));
}

std::size_t Comparison::nowhere_only(std::size_t side) const {
  return static_cast<std::size_t>(std::ranges::count_if(pods, [&](const ComparedPod& pod) {
    return pod.end[side] == PodEnd::kNowhere && pod.end[1 - side] == PodEnd::kPlaced;
  }));
}

Utilization utilization(const std::vector<NodeUsage>& nodes, std::optional<Amounts> NodeUsage::* amounts) {
  Utilization found;
  Amounts held, offered;
  for (const NodeUsage& node : nodes) {
    if (!(node.*amounts)) continue;
    const Amounts& here = *(node.*amounts);
    held += here;
    offered += node.allocatable;
    found.nodes_used += here.pods > 0 ? 1 : 0;
    found.highest_cpu = std::max(found.highest_cpu, share_of(here.cpu, node.allocatable.cpu));
    found.highest_memory = std::max(found.highest_memory, share_of(here.memory, node.allocatable.memory));
  }
  found.cpu = share_of(held.cpu, offered.cpu);
  found.memory = share_of(held.memory, offered.memory);
  return found;
}

}  // namespace winnow
