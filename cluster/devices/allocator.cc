#include "cluster/devices/allocator.h"

#include <string>
#include <utility>

#include "cluster/devices/explainer.h"
#include "cluster/devices/result.h"

namespace winnow {

DeviceAllocator::DeviceAllocator(std::span<const ResourceClaim* const> claims,
                                 const DeviceInventory& inventory, FindDeviceClass find_class,
                                 DeviceCache& cache, Options options)
    : claims_(plan_claims(claims, find_class, cache)), inventory_(inventory), options_(options) {}

/// @return whether all claims have their devices; then allocations can be made of the search's picks.
std::expected<bool, AllocationError> DeviceAllocator::run(DeviceSearch& search,
                                                          const DeviceNode& node) const {
  auto found = search.run(claims_, inventory_, node, {options_.deadline, options_.node_timeout});
  if (!found || !*found) return found;
  for (std::size_t i = 0; i < claims_.size(); ++i)
    if (std::string error = node_selector_error(claims_[i], search.picks(i)); !error.empty())
      return std::unexpected(AllocationError{AllocationError::Kind::kFatal, std::move(error)});
  return true;
}

/// The thread's search. Its memory is used again.
DeviceSearch& DeviceAllocator::search() {
  thread_local DeviceSearch search;
  return search;
}

std::expected<DeviceFit, AllocationError> DeviceAllocator::fits(const DeviceNode& node) const {
  DeviceSearch& search = DeviceAllocator::search();
  auto found = run(search, node);
  if (!found) return std::unexpected(std::move(found.error()));
  if (!*found) return DeviceFit();
  return DeviceFit{true, search.alternatives_score()};
}

std::expected<std::optional<std::vector<DeviceAllocation>>, AllocationError> DeviceAllocator::allocate(
    const DeviceNode& node) const {
  DeviceSearch& search = DeviceAllocator::search();
  auto found = run(search, node);
  if (!found) return std::unexpected(std::move(found.error()));
  if (!*found) return std::nullopt;
  std::vector<DeviceAllocation> allocations;
  allocations.reserve(claims_.size());
  for (std::size_t i = 0; i < claims_.size(); ++i)
    allocations.push_back(make_allocation(claims_[i], search.picks(i), node.name));
  return allocations;
}

DeviceExplanation DeviceAllocator::explain(const DeviceNode& node) const {
  DeviceSearch search;
  search.keep_furthest();
  DeviceExplanation explanation;
  if (auto found = run(search, node))
    explanation.fits = *found;
  else
    explanation.error = std::move(found.error());
  const DeviceExplainer explainer(claims_, inventory_, node, search);
  explanation.pools = explainer.pools();
  if (search.has_searched()) explanation.requests = explainer.requests();
  return explanation;
}

}  // namespace winnow
