#include "extender/compare/comparison.h"

#include <algorithm>
#include <map>
#include <utility>

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

std::size_t Comparison::count_differing_by_workload() const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> more;  // Under A, by workload and node.
  for (const ComparedPod& pod : pods) {
    if (!pod.differs()) continue;
    ++more[{pod.workload, pod.node[kA]}];
    --more[{pod.workload, pod.node[kB]}];
  }
  std::int64_t sum = 0;
  for (const auto& [place, by] : more) sum += std::max<std::int64_t>(by, 0);
  return static_cast<std::size_t>(sum);
}

std::size_t Comparison::nowhere_under_both() const {
  return static_cast<std::size_t>(std::ranges::count_if(pods, [](const ComparedPod& pod) {
    return pod.end[kA] == PodEnd::kNowhere && pod.end[kB] == PodEnd::kNowhere;
  }));
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
