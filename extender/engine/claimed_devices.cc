#include "extender/engine/claimed_devices.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "cluster/api/pod.h"
#include "cluster/rule/extended_resource_claim.h"
#include "cluster/rule/pod_devices.h"
#include "cluster/state/view.h"
#include "extender/engine/engine.h"
#include "extender/engine/ruleset.h"
#include "predicates/records.h"

namespace winnow {
namespace {

/// Null: the rule refuses or skips the pod.
std::unique_ptr<const PodDevices> devices_of(const ConfiguredPredicate& rule, const Request& request) {
  const auto* const args = rule.arguments.get_if<DynamicResourcesArgs>();
  auto devices = PodDevices::of(request, args ? *args : DynamicResourcesArgs());
  return devices ? std::move(*devices) : nullptr;
}

std::vector<ClaimedDevices> claimed(const PodDevices& devices, const Pod& pod, NodeId node) {
  std::vector<ClaimedDevices> all;
  auto allocations = devices.allocate(node);
  if (!allocations) return all;
  // The last claim may be that of extended resources, which the node offers itself.
  for (std::size_t i = 0; i < allocations->size(); ++i) {
    const ObjectMeta& claim = devices.to_allocate()[i]->metadata;
    const bool is_extended = claim.name == kExtendedResourceClaim;
    all.push_back({claim.name, is_extended ? extended_resource_claim_uid(pod.metadata.uid) : claim.uid,
                   std::move((*allocations)[i])});
  }
  return all;
}

}  // namespace

const ConfiguredPredicate* rule_of_devices(const RuleSet& rules, const View& view) {
  static const predicates::Record* const record = predicates::find_plugin("DynamicResources");
  const auto rule = std::ranges::find(rules.predicates, record->bind, &ConfiguredPredicate::bind);
  return rule == rules.predicates.end() || !knows_devices(view.state()) ? nullptr : &*rule;
}

void find_devices(const Filtered& filtered, const Request& request,
                  FunctionRef<void(std::size_t, std::vector<ClaimedDevices>)> take) {
  const ConfiguredPredicate* const rule = rule_of_devices(*filtered.rules, request.view);
  if (rule == nullptr || !rule->filters || filtered.refused_before_nodes()) return;
  const auto number = static_cast<std::size_t>(rule - filtered.rules->predicates.data());
  if (!filtered.bound[number]) return;
  const auto devices = devices_of(*rule, request);
  if (!devices || devices->to_allocate().empty()) return;
  for (std::size_t i = 0; i < request.nodes.size(); ++i) {
    if (!filtered.matrix[number * request.nodes.size() + i].fits()) continue;
    request.check_time();
    if (auto found = claimed(*devices, request.pod, request.nodes[i]); !found.empty())
      take(i, std::move(found));
  }
}

std::vector<ClaimedDevices> devices_on(const RuleSet& rules, const Request& request) {
  const ConfiguredPredicate* const rule = rule_of_devices(rules, request.view);
  if (rule == nullptr || !rule->filters) return {};
  const auto devices = devices_of(*rule, request);
  if (!devices || devices->to_allocate().empty()) return {};
  return claimed(*devices, request.pod, request.nodes.front());
}

}  // namespace winnow
