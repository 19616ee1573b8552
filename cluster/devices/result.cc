#include "cluster/devices/result.h"

#include <algorithm>
#include <cstdint>
#include <format>
#include <set>
#include <vector>

namespace winnow {
namespace {

/// What restricts the nodes of a device: its slice, or itself.
struct Restriction {
  bool has_node_name = false;
  const NodeSelector* selector = nullptr;
};

Restriction restriction_of(const DevicePick& pick) {
  const auto of = [](const std::string& name, const std::optional<NodeSelector>& selector) {
    return Restriction{!name.empty(), selector ? &*selector : nullptr};
  };
  const ResourceSlice& slice = *pick.slice->object;
  const Device& device = *pick.device->device;
  return slice.per_device_node_selection ? of(device.node_name, device.node_selector)
                                         : of(slice.node_name, slice.node_selector);
}

bool is_one_node_alone(const DevicePick& pick) {
  return pick.device->device->binds_to_node || restriction_of(pick).has_node_name;
}

bool is_same(const SelectorRequirement& a, const SelectorRequirement& b) {
  const auto values = [](const SelectorRequirement& one) {
    return std::set(one.values.begin(), one.values.end());
  };
  return a.key == b.key && a.op == b.op && values(a) == values(b);
}

void add_new(const std::vector<SelectorRequirement>& from, std::vector<SelectorRequirement>& to) {
  for (const SelectorRequirement& one : from)
    if (std::ranges::none_of(to, [&](const SelectorRequirement& present) { return is_same(present, one); }))
      to.push_back(one);
}

/// FNV-1a. It is the same in all processes: a share has one id, whoever allocates it.
std::uint64_t digest(std::uint64_t seed, std::initializer_list<std::string_view> parts) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ seed;
  const auto add = [&](unsigned char byte) { hash = (hash ^ byte) * 0x100000001b3; };
  for (const std::string_view part : parts) {
    for (const char c : part) add(static_cast<unsigned char>(c));
    add(0);
  }
  return hash ^ hash >> 29;
}

/// A UUID of version 8, which is made by a rule of one's own (RFC 9562).
std::string make_share_id(const ResourceClaim& claim, const AllocatedDevice& device) {
  const auto number = [&](std::uint64_t seed) {
    return digest(seed, {claim.metadata.uid, claim.metadata.namespace_, claim.metadata.name, device.request,
                         device.driver, device.pool, device.device});
  };
  const std::uint64_t high = (number(1) & ~std::uint64_t{0xf000}) | 0x8000;
  const std::uint64_t low = (number(2) & ~(std::uint64_t{3} << 62)) | std::uint64_t{2} << 62;
  return std::format("{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, high >> 16 & 0xffff, high & 0xffff,
                     low >> 48, low & 0xffffffffffff);
}

AllocatedDevice make_device(const ResourceClaim& claim, const DevicePick& pick) {
  const Device& device = *pick.device->device;
  AllocatedDevice made{.request = pick.request->full_name(),
                       .driver = pick.slice->object->driver,
                       .pool = pick.slice->object->pool.name,
                       .device = device.name,
                       .admin_access = pick.request->admin_access,
                       .binding_conditions = device.binding_conditions,
                       .binding_failure_conditions = device.binding_failure_conditions};
  if (!pick.device->shared) return made;
  made.share_id = make_share_id(claim, made);
  auto amount = pick.share.begin();
  for (const auto& [name, capacity] : device.capacity) made.consumed_capacity.emplace(name, *amount++);
  return made;
}

}  // namespace

std::string node_selector_error(const PlannedClaim& claim, std::span<const DevicePick> picks) {
  for (const DevicePick& pick : picks) {
    if (is_one_node_alone(pick)) return "";
    const NodeSelector* selector = restriction_of(pick).selector;
    if (selector != nullptr && selector->terms.size() > 1)
      return std::format(
          "create NodeSelector for claim {}: unsupported ResourceSlice.NodeSelector with {} terms",
          claim.claim->metadata.name, selector->terms.size());
  }
  return "";
}

std::optional<NodeSelector> node_selector_of(std::span<const DevicePick> picks, std::string_view node) {
  NodeSelectorTerm term;
  for (const DevicePick& pick : picks) {
    if (is_one_node_alone(pick))
      return NodeSelector{{{.match_fields = {{"metadata.name", "In", {std::string(node)}}}}}};
    const NodeSelector* selector = restriction_of(pick).selector;
    if (selector == nullptr || selector->terms.size() != 1) continue;
    add_new(selector->terms.front().match_fields, term.match_fields);
    add_new(selector->terms.front().match_expressions, term.match_expressions);
  }
  if (term.match_fields.empty() && term.match_expressions.empty()) return std::nullopt;
  return NodeSelector{{std::move(term)}};
}

DeviceAllocation make_allocation(const PlannedClaim& claim, std::span<const DevicePick> picks,
                                 std::string_view node) {
  DeviceAllocation allocation;
  for (const DevicePick& pick : picks) allocation.devices.push_back(make_device(*claim.claim, pick));
  allocation.node_selector = node_selector_of(picks, node);
  return allocation;
}

}  // namespace winnow
