#include "extender/calls/own_pods.h"

#include <algorithm>
#include <string_view>

namespace winnow {
namespace {

constexpr std::string_view kDefaultScheduler = "default-scheduler";

std::string_view scheduler_of(const Pod& pod) {
  return pod.spec.scheduler_name.empty() ? kDefaultScheduler : std::string_view(pod.spec.scheduler_name);
}

}  // namespace

const Engine* engine_for(const Engines& engines, const Pod& pod, const std::vector<std::string>& schedulers) {
  const std::string_view name = scheduler_of(pod);
  const std::string& first = engines.sets().front()->scheduler_name;
  if (schedulers.empty()) {
    const bool is_policy = first.empty();
    return is_policy && name != kDefaultScheduler ? nullptr : engines.find(pod);
  }
  if (!std::ranges::contains(schedulers, name)) return nullptr;
  if (const Engine* const engine = engines.find(pod)) return engine;
  Pod as_first = pod;
  as_first.spec.scheduler_name = first;
  return engines.find(as_first);
}

}  // namespace winnow
