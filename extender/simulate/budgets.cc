#include "extender/simulate/budgets.h"

#include <algorithm>
#include <format>

namespace winnow {

Budgets::Budgets(State& state) : state_(state) {
  for (const auto& [key, budget] : state.objects.of<PodDisruptionBudget>())
    if (auto selector = parse_label_selector(budget.selector); selector && !selector->is_nothing())
      by_namespace_[budget.metadata.namespace_].emplace_back(key, std::move(*selector));
}

std::vector<const std::string*> Budgets::of(const ObjectMeta& pod) const {
  std::vector<const std::string*> keys;
  if (const auto here = by_namespace_.find(pod.namespace_); here != by_namespace_.end())
    for (const auto& [key, selector] : here->second)
      if (selector.matches(pod.labels)) keys.push_back(&key);
  return keys;
}

std::optional<std::string> Budgets::refuses(const ObjectMeta& pod) const {
  const std::vector<const std::string*> keys = of(pod);
  if (pod.deleting || keys.empty()) return std::nullopt;
  if (keys.size() > 1)
    return "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
  const PodDisruptionBudget& budget = state_.objects.of<PodDisruptionBudget>().find(*keys.front())->second;
  if (budget.disruptions_allowed > 0) return std::nullopt;
  std::string text =
      "Cannot evict pod as it would violate the pod's disruption budget. The disruption budget " +
      budget.metadata.name;
  if (budget.current_healthy <= budget.desired_healthy && budget.desired_healthy > 0)
    return text + std::format(" needs {} healthy pods and has {} currently", budget.desired_healthy,
                              budget.current_healthy);
  return text + " does not allow evicting pods currently";
}

void Budgets::change(const ObjectMeta& pod, int by) {
  if (by_namespace_.empty()) return;
  for (const std::string* const key : of(pod)) {
    PodDisruptionBudget& budget = state_.objects.of<PodDisruptionBudget>().find(*key)->second;
    const bool says_healthy = budget.desired_healthy > 0 || budget.current_healthy > 0;
    budget.current_healthy += says_healthy ? by : 0;
    const std::int32_t allowed =
        says_healthy ? budget.current_healthy - budget.desired_healthy : budget.disruptions_allowed + by;
    budget.disruptions_allowed = std::max(allowed, 0);
  }
}

}  // namespace winnow
