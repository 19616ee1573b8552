#include "extender/simulate/report/tally.h"

#include <algorithm>
#include <array>
#include <functional>

namespace winnow {

std::vector<WorkloadTally> tally_workloads(const SimulationResult& result) {
  std::vector<WorkloadTally> workloads;
  std::map<std::pair<std::string_view, PodOrigin>, std::size_t> places;
  for (const SimulatedPod& pod : result.pods) {
    const std::string& name = result.batches[pod.batch].name();
    const auto [it, is_new] = places.try_emplace({name, pod.origin}, workloads.size());
    if (is_new) workloads.push_back({.name = name, .origin = pod.origin});
    WorkloadTally& tally = workloads[it->second];
    ++tally.pods;
    ++tally.ends[static_cast<std::size_t>(pod.end)];
    if (pod.end == PodEnd::kPlaced) ++tally.placed[pod.node];
    if (pod.from != kNone) ++tally.from[pod.from];
  }
  return workloads;
}

std::vector<ReasonTally> tally_reasons(const SimulationResult& result, PodEnd end) {
  std::vector<ReasonTally> reasons;
  std::map<std::uint32_t, std::size_t> places;
  for (const SimulatedPod& pod : result.pods) {
    if (pod.end != end) continue;
    const auto [it, is_new] = places.try_emplace(pod.why, reasons.size());
    if (is_new) reasons.push_back({.why = pod.why});
    ReasonTally& tally = reasons[it->second];
    ++tally.pods;
    const std::string& name = result.batches[pod.batch].name();
    if (tally.workloads.empty() || tally.workloads.back().first != name) {
      const auto known =
          std::ranges::find(tally.workloads, name, &std::pair<std::string, std::size_t>::first);
      if (known != tally.workloads.end()) {
        ++known->second;
        continue;
      }
      tally.workloads.emplace_back(name, 0);
    }
    ++tally.workloads.back().second;
  }
  std::ranges::stable_sort(reasons, std::greater{}, &ReasonTally::pods);
  return reasons;
}

std::string_view to_string(PodOrigin origin) {
  constexpr std::array<std::string_view, 5> kWords = {"waiting", "new", "drained", "lost", "preempted"};
  return kWords[static_cast<std::size_t>(origin)];
}

std::string_view to_string(PodEnd end) {
  constexpr std::array<std::string_view, kPodEnds> kWords = {"untried", "placed",  "nowhere",
                                                             "gated",   "blocked", "notRemade"};
  return kWords[static_cast<std::size_t>(end)];
}

}  // namespace winnow
