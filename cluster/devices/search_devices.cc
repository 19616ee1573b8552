// Which devices may be tried, and what is taken by trying one.
#include <algorithm>
#include <format>
#include <optional>
#include <utility>

#include "cluster/devices/search.h"

namespace winnow {
namespace {

std::string text_of(const PublishedSlice& slice, const PublishedDevice& device) {
  return slice.pool->text() + "/" + device.device->name;
}

const NodeSelector* node_selector_of(const Device& device) {
  return device.node_selector ? &*device.node_selector : nullptr;
}

}  // namespace

// Candidates.

/// Finds the next device that may be tried. @return kNo if there is none.
DeviceSearch::Step DeviceSearch::extend(const Place& place, Candidates& next) {
  const std::span<const NodePoolView> pools = pools_.pools();
  for (; !next.complete && next.pool < pools.size(); ++next.pool, next.slice = 0) {
    const NodePoolView& pool = pools[next.pool];
    for (; next.slice < pool.slices.size(); ++next.slice, next.device = 0) {
      const PublishedSlice& slice = *pool.slices[next.slice];
      while (next.device < slice.devices.size()) {
        const Candidate candidate{&pool, &slice, &slice.devices[next.device++]};
        const Step step = may_try(place, candidate);
        if (step == Step::kDone) candidates_.push_back(candidate);
        if (step != Step::kNo) return step;
      }
    }
  }
  next.complete = true;
  return Step::kNo;
}

/// Whether the device may be tried for the request. This stays as it is while devices of the same request are
/// taken: they come before it.
DeviceSearch::Step DeviceSearch::may_try(const Place& place, const Candidate& candidate) {
  if (is_in_use(place, *candidate.device)) return Step::kNo;
  if (const Step step = is_selectable(place, *candidate.slice, *candidate.device); step != Step::kDone)
    return step;
  if (const Step step = has_capacity(place, candidate, "checking"); step != Step::kDone) return step;
  return is_prevented(place, candidate) ? Step::kNo : Step::kDone;
}

bool DeviceSearch::is_in_use(const Place& place, const PublishedDevice& device) const {
  const auto is_marked = [&](const Mark& mark) {
    return mark.id == device.id && (!place.planned->admin_access || mark.claim == place.claim);
  };
  if (!place.planned->admin_access && inventory_->held().is_held_alone(device.id)) return true;
  return std::ranges::any_of(marks_, is_marked);
}

DeviceSearch::Step DeviceSearch::is_selectable(const Place& place, const PublishedSlice& slice,
                                               const PublishedDevice& device) {
  for (const PlannedSelector& planned : place.planned->selectors) {
    const std::optional<bool> known = planned.selector->known(device);
    if (known && *known) continue;
    if (known) return Step::kNo;
    if (const Step step = selector_matches(place, planned, slice, device); step != Step::kDone) return step;
  }
  if (slice.scope != SliceScope::kPerDevice) return Step::kDone;
  const Device& object = *device.device;
  auto matches = node_matches(*node_, object.node_name, object.all_nodes, node_selector_of(object));
  if (!matches) return fail(std::move(matches.error()));
  return *matches ? Step::kDone : Step::kNo;
}

// Upstream: selectorsMatch.
DeviceSearch::Step DeviceSearch::selector_matches(const Place& place, const PlannedSelector& planned,
                                                  const PublishedSlice& slice,
                                                  const PublishedDevice& device) {
  const auto whose = [&] {
    return planned.of_class
               ? std::format("class {}: selector #{}", place.planned->class_name, planned.index)
               : std::format("claim {}: selector #{}", claims_[place.claim].text(), planned.index);
  };
  if (!planned.selector->compile_error().empty())
    return fail(std::format("{}: CEL compile error: {}", whose(), planned.selector->compile_error()));
  const SelectorVerdict verdict = planned.selector->evaluate(device, slice.object->driver, cel_limits_);
  if (verdict.interrupted) return out_of_time();
  if (!verdict.error.empty())
    return fail(std::format("{} on device {}: CEL runtime error: {}", whose(), text_of(slice, device),
                            verdict.error));
  return verdict.matches ? Step::kDone : Step::kNo;
}

// Upstream: CmpRequestOverCapacity of the allocator.
DeviceSearch::Step DeviceSearch::has_capacity(const Place& place, const Candidate& candidate,
                                              const char* doing) {
  const PublishedDevice& device = *candidate.device;
  const ResourceList* requests = place.planned->capacity();
  const bool is_shared = inventory_->held().is_shared(device.id);
  if (requests == nullptr && device.plain_capacity && !device.shared && !is_shared) return Step::kDone;
  std::optional<CapacityShare> allocating;
  for (const Share& share : shares_) {
    if (share.id != device.id) continue;
    if (!allocating) allocating.emplace(share.share.size());
    for (std::size_t i = 0; i < allocating->size(); ++i) (*allocating)[i] += share.share[i];
  }
  const auto shortage = find_shortage({.capacities = device.device->capacity,
                                       .requests = requests,
                                       .taken = is_shared ? &inventory_->held().taken(device.id) : nullptr,
                                       .allocating = allocating ? &*allocating : nullptr});
  if (!shortage)
    return fail(std::format("claim {}, request {}: {} capacity for device {}: {}",
                            claims_[place.claim].text(), place.planned->name(), doing,
                            text_of(*candidate.slice, device), shortage.error()));
  return shortage->kind == CapacityShortage::Kind::kFits ? Step::kDone : Step::kNo;
}

// Upstream: taintPreventsAllocation.
bool DeviceSearch::is_prevented(const Place& place, const Candidate& candidate) const {
  if (!candidate.device->tainted) return false;
  return std::ranges::any_of(
      inventory_->taints_of(*candidate.slice, *candidate.device), [&](const DeviceTaint* taint) {
        return prevents_allocation(*taint) && !tolerates(place.planned->body->tolerations, *taint);
      });
}

// What is taken, and given back. Upstream: allocateDevice, rollbackDevice.

/// Takes the device for the request, if its counters and the claim's constraints allow it.
/// @return kNo if they do not; then nothing has changed.
DeviceSearch::Step DeviceSearch::take(const Place& place, const Candidate& candidate, Change& change) {
  const PublishedDevice& device = *candidate.device;
  // One of all devices was not asked before.
  const bool must = place.planned->takes_all;
  if (must && is_in_use(place, device)) return Step::kNo;
  const auto has_share = [&](const Share& share) { return share.id == device.id; };
  const bool in_share =
      device.shared && (inventory_->held().is_shared(device.id) || std::ranges::any_of(shares_, has_share));
  // The first share took its counters.
  if (device.uses_counters && !in_share) {
    if (!take_counters(candidate)) return Step::kNo;
    change.counters = true;
  }
  const auto refused = [&](Step step) {
    give_back(place, candidate, change);
    return step;
  };
  if (must && is_prevented(place, candidate)) return refused(Step::kNo);
  if (!add_to_constraints(place, candidate, change)) {
    if (!must) return refused(Step::kNo);
    return fail(std::format(
        "claim {}, request {}: cannot add device {} because a claim constraint would not be satisfied",
        claims_[place.claim].text(), place.planned->name(), text_of(*candidate.slice, device)));
  }
  if (must)
    if (const Step step = has_capacity(place, candidate, "rechecking"); step != Step::kDone)
      return refused(step);
  DevicePick pick{place.planned, candidate.slice, candidate.device, candidate.pool, {}};
  if (device.shared) {
    pick.share = capacity_share(device.device->capacity, place.planned->capacity()).value_or(CapacityShare());
    shares_.push_back({device.id, pick.share});
    change.shared = true;
  } else {
    marks_.push_back({device.id, place.claim});
    change.marked = true;
  }
  picks_.push_back(std::move(pick));
  if (keeps_furthest_ && picks_.size() > furthest_.size()) furthest_ = picks_;
  return Step::kDone;
}

void DeviceSearch::give_back(const Place& place, const Candidate& candidate, const Change& change) {
  if (change.shared) shares_.pop_back();
  if (change.marked) marks_.pop_back();
  if (change.shared || change.marked) picks_.pop_back();
  for (std::uint32_t i = change.constraints; i > 0; --i) {
    Constraint& constraint = constraint_of(place, i - 1);
    if (planned_constraint(place, i - 1).is_distinct) constraint.values.pop_back();
    --constraint.devices;
  }
  if (change.counters) give_counters_back(candidate);
}

// Constraints. Upstream: matchAttributeConstraint, distinctAttributeConstraint.

const PlannedConstraint& DeviceSearch::planned_constraint(const Place& place, std::size_t index) const {
  return claims_[place.claim].constraints[place.planned->constraints[index]];
}

DeviceSearch::Constraint& DeviceSearch::constraint_of(const Place& place, std::size_t index) {
  return constraints_[first_constraint_[place.claim] + place.planned->constraints[index]];
}

bool DeviceSearch::add_to_constraints(const Place& place, const Candidate& candidate, Change& change) {
  for (std::size_t i = 0; i < place.planned->constraints.size(); ++i) {
    const PlannedConstraint& planned = planned_constraint(place, i);
    const auto value = planned.column->of(*candidate.device, candidate.slice->object->driver);
    if (!add_to(planned, constraint_of(place, i), value)) return false;
    ++change.constraints;
  }
  return true;
}

bool DeviceSearch::add_to(const PlannedConstraint& planned, Constraint& constraint,
                          AttributeColumn::Value value) {
  if (value == AttributeColumn::kAbsent) return false;
  const bool is_first = constraint.devices == 0;
  if (!is_first && value == AttributeColumn::kUnknownType) return false;
  if (planned.is_distinct) {
    if (std::ranges::find(constraint.values, value) != constraint.values.end()) return false;
    constraint.values.push_back(value);
  } else {
    if (!is_first && value != constraint.value) return false;
    constraint.value = value;
  }
  ++constraint.devices;
  return true;
}

// Counters. Upstream: checkAvailableCounters.

DeviceSearch::Consumed& DeviceSearch::consumed_of(const NodePoolView& pool) {
  for (std::size_t i = 0; i < consumed_used_; ++i)
    if (consumed_[i].pool == &pool) return consumed_[i];
  if (consumed_used_ == consumed_.size()) consumed_.emplace_back();
  Consumed& consumed = consumed_[consumed_used_++];
  consumed.pool = &pool;
  consumed.amounts.assign(pool.content->counters.counters.size(), Quantity());
  return consumed;
}

bool DeviceSearch::take_counters(const Candidate& candidate) {
  const PoolCounters& counters = candidate.pool->content->counters;
  if (counters.overdrawn) return false;
  Consumed& consumed = consumed_of(*candidate.pool);
  const auto uses = candidate.slice->uses_of(*candidate.device);
  for (const CounterUse& use : uses) consumed.amounts[use.counter] += use.amount;
  const bool fits = std::ranges::all_of(uses, [&](const CounterUse& use) {
    return !(counters.counters[use.counter].available < consumed.amounts[use.counter]);
  });
  if (!fits) give_counters_back(candidate);
  return fits;
}

void DeviceSearch::give_counters_back(const Candidate& candidate) {
  Consumed& consumed = consumed_of(*candidate.pool);
  for (const CounterUse& use : candidate.slice->uses_of(*candidate.device))
    consumed.amounts[use.counter] -= use.amount;
}

}  // namespace winnow
