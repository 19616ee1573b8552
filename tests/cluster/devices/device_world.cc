#include "tests/cluster/devices/device_world.h"

#include <algorithm>

namespace winnow::device_world {
namespace {

/// Whether a node whose label zone has its name has one of a requirement's values. An operator but "In" is an
/// error.
std::expected<bool, std::string> matches_zone(std::string_view node, const NodeSelector& selector) {
  for (const NodeSelectorTerm& term : selector.terms)
    for (const SelectorRequirement& requirement : term.match_expressions) {
      if (requirement.op != "In") return std::unexpected("bad operator");
      if (requirement.key == "zone" &&
          std::ranges::find(requirement.values, node) != requirement.values.end())
        return true;
    }
  return false;
}

std::string error_text(const AllocationError& error) {
  switch (error.kind) {
    case AllocationError::Kind::kOnNode:
      return "node: " + error.text;
    case AllocationError::Kind::kTimedOut:
      return "timed out: " + error.text;
    default:
      return "fatal: " + error.text;
  }
}

}  // namespace

std::expected<std::optional<std::vector<DeviceAllocation>>, AllocationError> World::allocate(
    const std::vector<ResourceClaim>& claims, std::string_view node) {
  std::vector<const ResourceClaim*> pointers;
  for (const ResourceClaim& one : claims) pointers.push_back(&one);
  const auto matches = [&](const NodeSelector& selector) { return matches_zone(node, selector); };
  return allocator(pointers).allocate({node, matches});
}

std::string World::ask(const std::vector<ResourceClaim>& claims, std::string_view node) {
  const auto allocated = allocate(claims, node);
  if (!allocated) return error_text(allocated.error());
  if (!*allocated) return "none";
  std::string text;
  for (std::size_t i = 0; i < claims.size(); ++i) {
    text += (i > 0 ? "; " : "") + claims[i].metadata.name + ":";
    for (const AllocatedDevice& device : (**allocated)[i].devices)
      text += " " + device.request + "=" + (device.pool == "pool" ? "" : device.pool + "/") + device.device;
  }
  return text;
}

}  // namespace winnow::device_world
