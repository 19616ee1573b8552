#include "extender/engine/disruption_budgets.h"

#include <set>
#include <string_view>

#include "cluster/state/state.h"

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

struct NodeBudgets::AllUsable {
  struct Usable {
    const PodDisruptionBudget* budget;
    Selector selector;
  };
  std::vector<Usable> budgets;
  TextMap<std::vector<std::uint32_t>> in_namespace;  ///< Indices of budgets, in their order.
};

NodeBudgets::NodeBudgets(const State& state, Generation generation) : state_(state), generation_(generation) {
  auto found = std::make_shared<AllUsable>();
  for (const auto& [key, budget] : state.objects.of<PodDisruptionBudget>()) {
    auto selector = parse_label_selector(budget.selector);
    if (!selector || selector->is_everything() || selector->is_nothing()) continue;
    found->in_namespace[budget.metadata.namespace_].push_back(
        static_cast<std::uint32_t>(found->budgets.size()));
    found->budgets.push_back({&budget, std::move(*selector)});
  }
  used_.resize(found->budgets.size(), 0);
  usable_ = std::move(found);
}

const std::vector<std::uint32_t>& NodeBudgets::budgets_of(GroupId group) {
  const auto [place, is_new] = of_group_.try_emplace(group);
  if (!is_new) return place->second;
  const PodGroupKey& key = state_.groups[group];
  const Symbols& symbols = state_.names().symbols;
  const auto budgets = usable_->in_namespace.find(symbols[key.ns]);
  if (budgets == usable_->in_namespace.end()) return place->second;
  StringMap labels;
  for (const auto& [name, value] : key.labels) labels.emplace(symbols[name], symbols[value]);
  if (labels.empty()) return place->second;
  for (const std::uint32_t i : budgets->second)
    if (usable_->budgets[i].selector.matches(labels)) place->second.push_back(i);
  return place->second;
}

// As in break_budgets(): today upstream stops at the first budget that is broken.
std::vector<bool> NodeBudgets::breaks(std::span<const PodId> pods) {
  std::vector<bool> breaks(pods.size());
  if (usable_->budgets.empty()) return breaks;
  std::vector<std::uint32_t> touched;
  for (std::size_t i = 0; i < pods.size(); ++i) {
    const PodRecord& pod = state_.pod(pods[i]);
    for (const std::uint32_t one : budgets_of(pod.group)) {
      const PodDisruptionBudget& budget = *usable_->budgets[one].budget;
      if (generation_ == Generation::kToday) {
        if (budget.disrupted_pods.contains(pod.name)) continue;
        ++used_[one];
        touched.push_back(one);
        breaks[i] = used_[one] > budget.disruptions_allowed;
      } else {
        breaks[i] = budget.disruptions_allowed <= 0;
      }
      if (breaks[i]) break;
    }
  }
  for (const std::uint32_t one : touched) used_[one] = 0;
  return breaks;
}

}  // namespace winnow
