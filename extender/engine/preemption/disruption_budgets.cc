#include "extender/engine/preemption/disruption_budgets.h"

#include <set>
#include <string_view>

namespace winnow {
namespace {

/// A budget whose selector can match a pod, and the number of evictions that it still allows.
struct Left {
  const PodDisruptionBudget* budget;
  Selector selector;
  std::int64_t allowed;
};

/// @param pods  budgets of other namespaces than theirs are left out.
std::vector<Left> usable(const Store<PodDisruptionBudget>& budgets, std::span<const ObjectMeta> pods) {
  std::set<std::string_view> namespaces;
  for (const ObjectMeta& pod : pods) namespaces.insert(pod.namespace_);
  std::vector<Left> usable;
  for (const auto& [name, budget] : budgets) {
    if (!namespaces.contains(budget.metadata.namespace_)) continue;
    auto selector = parse_label_selector(budget.selector);
    if (selector && !selector->is_everything() && !selector->is_nothing())
      usable.push_back({&budget, std::move(*selector), budget.disruptions_allowed});
  }
  return usable;
}

bool matches(const Left& left, const ObjectMeta& pod) {
  return !pod.labels.empty() && left.budget->metadata.namespace_ == pod.namespace_ &&
         left.selector.matches(pod.labels);
}

// Upstream stops at the first budget that is broken: those behind it are not used up by this pod.
bool breaks_today(std::vector<Left>& budgets, const ObjectMeta& pod) {
  for (Left& left : budgets)
    if (matches(left, pod) && !left.budget->disrupted_pods.contains(pod.name) && --left.allowed < 0)
      return true;
  return false;
}

bool breaks_v116(const std::vector<Left>& budgets, const ObjectMeta& pod) {
  return std::ranges::any_of(budgets,
                             [&](const Left& left) { return left.allowed <= 0 && matches(left, pod); });
}

}  // namespace

std::vector<bool> break_budgets(const Store<PodDisruptionBudget>& budgets, std::span<const ObjectMeta> pods,
                                Generation generation) {
  std::vector<Left> left = usable(budgets, pods);
  std::vector<bool> breaks;
  for (const ObjectMeta& pod : pods)
    breaks.push_back(generation == Generation::kToday ? breaks_today(left, pod) : breaks_v116(left, pod));
  return breaks;
}

}  // namespace winnow
