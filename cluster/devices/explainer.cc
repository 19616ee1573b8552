#include "cluster/devices/explainer.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cluster/devices/taints.h"

namespace winnow {
namespace {

using ObstacleKind = DeviceObstacle::Kind;

DeviceName name_of(const PublishedSlice& slice, const PublishedDevice& device) {
  return {slice.pool->driver(), slice.pool->name(), device.device->name};
}

}  // namespace

std::vector<ExplainedPool> DeviceExplainer::pools() const {
  std::vector<ExplainedPool> explained;
  for (const NodePoolView& pool : search_.pools().pools())
    explained.push_back({pool.pool->driver(), pool.pool->name(), pool.state,
                         pool.content == nullptr ? std::string() : pool.content->invalid_reason,
                         pool.found_slices, pool.expected_slices});
  return explained;
}

std::vector<ExplainedRequest> DeviceExplainer::requests() const {
  std::vector<ExplainedRequest> explained;
  for (std::size_t i = 0; i < claims_.size(); ++i)
    for (std::size_t k = 0; k < claims_[i].planned.size(); ++k)
      explained.push_back(explain(i, claims_[i].planned[k], search_.wanted(claims_[i].first + k)));
  return explained;
}

bool DeviceExplainer::is_other_alternative(const Asked& asked, const DevicePick& pick) {
  return pick.request != asked.request && pick.request->request == asked.request->request;
}

std::size_t DeviceExplainer::claim_of(const DevicePick& pick) const {
  const auto has = [&](const PlannedClaim& claim) {
    return pick.request >= claim.planned.data() && pick.request < claim.planned.data() + claim.planned.size();
  };
  return static_cast<std::size_t>(std::ranges::find_if(claims_, has) - claims_.begin());
}

ExplainedRequest DeviceExplainer::explain(std::size_t claim, const PlannedRequest& request,
                                          std::int64_t wanted) const {
  ExplainedRequest explained{.claim = claim,
                             .request = request.request->name,
                             .alternative = request.alternative == nullptr ? "" : request.alternative->name,
                             .class_name = request.class_name,
                             .takes_all = request.takes_all,
                             .wanted = wanted};
  std::int64_t others = 0;
  for (const DevicePick& pick : attempt_) {
    if (pick.request == &request)
      ++explained.picked;
    else if (pick.request->request != request.request && claim_of(pick) == claim)
      ++others;
  }
  explained.exceeds_limit = wanted > kMostDevicesOfClaim - others;
  for (const NodePoolView& pool : search_.pools().pools())
    for (const PublishedSlice* slice : pool.slices)
      for (const PublishedDevice& device : slice->devices)
        explained.devices.push_back({name_of(*slice, device), device.device,
                                     !device.device->binding_conditions.empty(),
                                     obstacle_of({claim, &request, &pool, slice, &device})});
  return explained;
}

DeviceObstacle DeviceExplainer::obstacle_of(const Asked& asked) const {
  const auto is_it = [&](const DevicePick& pick) {
    return pick.request == asked.request && pick.device == asked.device;
  };
  if (std::ranges::any_of(attempt_, is_it)) return {.kind = ObstacleKind::kPicked};
  static constexpr Obstacle (DeviceExplainer::* kAsked[])(const Asked&)
      const = {&DeviceExplainer::by_class, &DeviceExplainer::by_use,       &DeviceExplainer::by_each_selector,
               &DeviceExplainer::by_node,  &DeviceExplainer::by_capacity,  &DeviceExplainer::by_counter,
               &DeviceExplainer::by_taint, &DeviceExplainer::by_constraint};
  for (const auto by : kAsked)
    if (Obstacle obstacle = (this->*by)(asked)) return *std::move(obstacle);
  return {};
}

DeviceExplainer::Obstacle DeviceExplainer::by_use(const Asked& asked) const {
  const HeldDevices& held = inventory_.held();
  if (!asked.request->admin_access && held.is_held_alone(asked.device->id)) {
    DeviceObstacle obstacle{.kind = ObstacleKind::kAllocated};
    for (const DeviceHolder& holder : held.holders(asked.device->id))
      obstacle.holders.push_back(
          {holder.holding->namespace_, holder.holding->name, holder.holding->uid, holder.holding->assumed});
    return obstacle;
  }
  for (const DevicePick& pick : attempt_) {
    if (pick.device->id != asked.device->id || pick.device->shared) continue;
    const std::size_t claim = claim_of(pick);
    if (asked.request->admin_access && claim != asked.claim) continue;
    if (is_other_alternative(asked, pick)) continue;
    return DeviceObstacle{
        .kind = ObstacleKind::kOtherPick, .claim = claim, .request = pick.request->full_name()};
  }
  return std::nullopt;
}

DeviceExplainer::Obstacle DeviceExplainer::by_class(const Asked& asked) const {
  for (const PlannedSelector& planned : asked.request->selectors) {
    if (!planned.of_class) continue;
    auto obstacle = by_selector(asked, planned);
    if (obstacle && obstacle->kind == ObstacleKind::kSelector) return obstacle;
  }
  return std::nullopt;
}

DeviceExplainer::Obstacle DeviceExplainer::by_each_selector(const Asked& asked) const {
  for (const PlannedSelector& planned : asked.request->selectors)
    if (auto obstacle = by_selector(asked, planned)) return obstacle;
  return std::nullopt;
}

DeviceExplainer::Obstacle DeviceExplainer::by_selector(const Asked& asked,
                                                       const PlannedSelector& planned) const {
  DeviceObstacle obstacle{
      .kind = ObstacleKind::kSelector, .of_class = planned.of_class, .selector = planned.index};
  std::optional<bool> matches = planned.selector->known(*asked.device);
  if (!matches) {
    obstacle.error = planned.selector->compile_error();
    if (obstacle.error.empty()) {
      const SelectorVerdict verdict =
          planned.selector->evaluate(*asked.device, asked.slice->object->driver, {});
      obstacle.error = verdict.error;
      matches = verdict.matches;
    }
    if (!obstacle.error.empty()) {
      obstacle.kind = ObstacleKind::kError;
      return obstacle;
    }
  }
  return *matches ? std::nullopt : Obstacle(std::move(obstacle));
}

DeviceExplainer::Obstacle DeviceExplainer::by_node(const Asked& asked) const {
  if (asked.slice->scope != SliceScope::kPerDevice) return std::nullopt;
  const Device& device = *asked.device->device;
  const auto matches = node_matches(node_, device.node_name, device.all_nodes,
                                    device.node_selector ? &*device.node_selector : nullptr);
  if (!matches) return DeviceObstacle{.kind = ObstacleKind::kError, .error = matches.error()};
  if (*matches) return std::nullopt;
  return DeviceObstacle{.kind = ObstacleKind::kOtherNode};
}

DeviceExplainer::Obstacle DeviceExplainer::by_capacity(const Asked& asked) const {
  const DeviceId id = asked.device->id;
  std::optional<CapacityShare> allocating;
  for (const DevicePick& pick : attempt_) {
    if (pick.device->id != id || !pick.device->shared || is_other_alternative(asked, pick)) continue;
    if (!allocating) allocating.emplace(pick.share.size());
    for (std::size_t i = 0; i < allocating->size(); ++i) (*allocating)[i] += pick.share[i];
  }
  const HeldDevices& held = inventory_.held();
  auto shortage = find_shortage({.capacities = asked.device->device->capacity,
                                 .requests = asked.request->capacity(),
                                 .taken = held.is_shared(id) ? &held.taken(id) : nullptr,
                                 .allocating = allocating ? &*allocating : nullptr});
  if (!shortage) return DeviceObstacle{.kind = ObstacleKind::kError, .error = shortage.error()};
  if (shortage->kind == CapacityShortage::Kind::kFits) return std::nullopt;
  return DeviceObstacle{.kind = ObstacleKind::kCapacity, .shortage = *std::move(shortage)};
}

bool DeviceExplainer::shares_in_attempt(DeviceId id) const {
  return std::ranges::any_of(
      attempt_, [&](const DevicePick& pick) { return pick.device->shared && pick.device->id == id; });
}

DeviceExplainer::Obstacle DeviceExplainer::by_counter(const Asked& asked) const {
  const PublishedDevice& device = *asked.device;
  if (!device.uses_counters) return std::nullopt;
  if (device.shared && (inventory_.held().is_shared(device.id) || shares_in_attempt(device.id)))
    return std::nullopt;
  const PoolCounters& counters = asked.pool->content->counters;
  std::vector<Quantity> want(counters.counters.size()), taken(counters.counters.size());
  for (const CounterUse& use : asked.slice->uses_of(device)) want[use.counter] += use.amount;
  std::vector<DeviceId> seen;
  for (const DevicePick& pick : attempt_) {
    if (pick.pool != asked.pool || is_other_alternative(asked, pick)) continue;
    // A device that was shared before the search has its counters already, and each other one takes them
    // once.
    if (pick.device->shared && inventory_.held().is_shared(pick.device->id)) continue;
    if (std::ranges::find(seen, pick.device->id) != seen.end()) continue;
    seen.push_back(pick.device->id);
    for (const CounterUse& use : pick.slice->uses_of(*pick.device)) taken[use.counter] += use.amount;
  }
  for (std::uint32_t i = 0; i < counters.counters.size(); ++i) {
    const PoolCounters::Counter& counter = counters.counters[i];
    if (!counter.exists) continue;
    Quantity have = counter.available;
    have -= taken[i];
    const bool is_overdrawn = counter.available < Quantity();
    if (!is_overdrawn && (want[i].is_zero() || !(have < want[i]))) continue;
    const CounterNames& names = asked.pool->pool->counter_names();
    return DeviceObstacle{.kind = ObstacleKind::kCounter,
                          .counter_set = std::string(names.set_of(i)),
                          .counter = std::string(names.counter_of(i)),
                          .have = have,
                          .want = want[i]};
  }
  return std::nullopt;
}

DeviceExplainer::Obstacle DeviceExplainer::by_taint(const Asked& asked) const {
  for (const DeviceTaint* taint : inventory_.taints_of(*asked.slice, *asked.device))
    if (prevents_allocation(*taint) && !tolerates(asked.request->body->tolerations, *taint))
      return DeviceObstacle{.kind = ObstacleKind::kTaint, .taint = *taint};
  return std::nullopt;
}

DeviceExplainer::Obstacle DeviceExplainer::by_constraint(const Asked& asked) const {
  for (const std::uint32_t index : asked.request->constraints) {
    const PlannedConstraint& planned = claims_[asked.claim].constraints[index];
    DeviceObstacle obstacle{.kind = ObstacleKind::kConstraint, .constraint = index};
    const auto value = planned.column->of(*asked.device, asked.slice->object->driver);
    if (value == AttributeColumn::kAbsent) return obstacle;
    for (const DevicePick& pick : attempt_) {
      const bool applies =
          std::ranges::find(pick.request->constraints, index) != pick.request->constraints.end();
      if (!applies || is_other_alternative(asked, pick) || claim_of(pick) != asked.claim) continue;
      const auto other = planned.column->of(*pick.device, pick.slice->object->driver);
      const bool go_together =
          value != AttributeColumn::kUnknownType && (value == other) != planned.is_distinct;
      if (go_together) continue;
      obstacle.other = name_of(*pick.slice, *pick.device);
      return obstacle;
    }
  }
  return std::nullopt;
}

}  // namespace winnow
