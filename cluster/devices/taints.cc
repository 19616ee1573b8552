#include "cluster/devices/taints.h"

#include <algorithm>
#include <array>
#include <functional>
#include <optional>

namespace winnow {
namespace {

/// A name, or any. No name has the byte that stands for any.
void append_part(std::string& key, std::optional<std::string_view> part) {
  key += part ? *part : std::string_view("\1");
  key += '\0';
}

std::string key_of(std::optional<std::string_view> driver, std::optional<std::string_view> pool) {
  std::string key;
  append_part(key, driver);
  append_part(key, pool);
  return key;
}

std::string key_of(std::optional<std::string_view> driver, std::optional<std::string_view> pool,
                   std::optional<std::string_view> device) {
  std::string key = key_of(driver, pool);
  append_part(key, device);
  return key;
}

/// The name, and any.
std::array<std::optional<std::string_view>, 2> name_or_any(std::string_view name) {
  return {name, std::nullopt};
}

}  // namespace

bool prevents_allocation(const DeviceTaint& taint) {
  return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

// Upstream: ToleratesTaint.
bool tolerates(const DeviceToleration& toleration, const DeviceTaint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op.empty() || toleration.op == "Equal") return toleration.value == taint.value;
  return toleration.op == "Exists";
}

bool tolerates(std::span<const DeviceToleration> tolerations, const DeviceTaint& taint) {
  return std::ranges::any_of(tolerations, [&](const DeviceToleration& one) { return tolerates(one, taint); });
}

const DeviceTaintRule& TaintRules::add(const DeviceTaintRule& rule) {
  const DeviceTaintRule& kept = rules_.emplace(rule.metadata.name, rule).first->second;
  if (!kept.has_selector) return kept;
  by_selector_[key_of(kept.driver, kept.pool, kept.device)].push_back(&kept);
  ++by_pool_[key_of(kept.driver, kept.pool)];
  return kept;
}

const DeviceTaintRule* TaintRules::find(std::string_view name) const {
  const auto found = rules_.find(name);
  return found == rules_.end() ? nullptr : &found->second;
}

void TaintRules::remove(const DeviceTaintRule& rule) {
  if (rule.has_selector) {
    const auto found = by_selector_.find(key_of(rule.driver, rule.pool, rule.device));
    std::erase(found->second, &rule);
    if (found->second.empty()) by_selector_.erase(found);
    const auto count = by_pool_.find(key_of(rule.driver, rule.pool));
    if (--count->second == 0) by_pool_.erase(count);
  }
  rules_.erase(rules_.find(rule.metadata.name));
}

TaintRules::Rules TaintRules::of(std::string_view driver, std::string_view pool,
                                 std::string_view device) const {
  Rules rules;
  for (const auto one_driver : name_or_any(driver))
    for (const auto one_pool : name_or_any(pool))
      for (const auto one_device : name_or_any(device)) {
        const auto found = by_selector_.find(key_of(one_driver, one_pool, one_device));
        if (found != by_selector_.end())
          rules.insert(rules.end(), found->second.begin(), found->second.end());
      }
  std::ranges::sort(rules, {},
                    [](const DeviceTaintRule* rule) -> const std::string& { return rule->metadata.name; });
  return rules;
}

bool TaintRules::may_have(std::string_view driver, std::string_view pool) const {
  if (by_pool_.empty()) return false;
  for (const auto one_driver : name_or_any(driver))
    for (const auto one_pool : name_or_any(pool))
      if (by_pool_.contains(key_of(one_driver, one_pool))) return true;
  return false;
}

}  // namespace winnow
