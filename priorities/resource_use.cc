#include "priorities/resource_use.h"

#include "cluster/api/resource_name.h"
#include "cluster/state/requests/request_sum.h"

namespace winnow::priorities {

ScalarColumns resource_columns(const View& view, std::string_view resource, bool nonzero) {
  if (resource == "cpu")
    return {view.column(&NodeTable::allocatable_cpu),
            view.column(nonzero ? &NodeTable::nonzero_cpu : &NodeTable::requested_cpu)};
  if (resource == "memory")
    return {view.column(&NodeTable::allocatable_memory),
            view.column(nonzero ? &NodeTable::nonzero_memory : &NodeTable::requested_memory)};
  if (resource == "ephemeral-storage")
    return {view.column(&NodeTable::allocatable_ephemeral), view.column(&NodeTable::requested_ephemeral)};
  return view.scalar(resource);
}

std::vector<ResourceUse> resource_uses(const View& view, std::span<const WeighedResource> resources,
                                       const ResourceList& requests, bool nonzero) {
  std::vector<ResourceUse> uses;
  for (const WeighedResource& resource : resources) {
    const std::int64_t pod = amount_of(requests, resource.name);
    if (pod == 0 && is_scalar_resource(resource.name)) continue;
    uses.push_back({resource_columns(view, resource.name, nonzero), pod, resource.weight});
  }
  return uses;
}

}  // namespace winnow::priorities
