#include "priorities/removed/resource_scores.h"

#include <algorithm>

#include "cluster/api/resource_name.h"
#include "cluster/rule/arguments.h"
#include "cluster/state/requests/pod_requests.h"
#include "priorities/resource_use.h"

namespace winnow::priorities::removed {
namespace {

/// The pod's request as v1.22 counts it: as v1.16 with overhead does.
std::int64_t requested(const PodRequests& requests, std::string_view resource) {
  if (resource == "cpu") return requests.nonzero_milli_cpu;
  if (resource == "memory") return requests.nonzero_memory;
  if (resource == "ephemeral-storage") return requests.ephemeral_storage;
  for (const auto& [name, amount] : requests.scalars)
    if (name == resource) return amount;
  return 0;
}

}  // namespace

std::unique_ptr<const Priority> resource_score(const Request& request, const Arguments& arguments,
                                               ScoringStrategy strategy) {
  static const ResourceScoreArgs kDefaults;
  const auto* const given = std::get_if<ResourceScoreArgs>(&arguments);
  const ResourceScoreArgs& args = given ? *given : kDefaults;
  const PodRequests requests =
      pod_requests(request.pod, Accounting::kV116WithOverhead, /*with_status=*/false);
  std::vector<ResourceUse> uses;
  for (auto resource = args.resources.begin(); resource != args.resources.end(); ++resource) {
    if (std::ranges::contains(resource + 1, args.resources.end(), resource->name, &WeighedResource::name))
      continue;
    const std::int64_t pod = requested(requests, resource->name);
    if (pod == 0 && is_scalar_resource(resource->name)) continue;
    uses.push_back({resource_columns(request.view, resource->name, /*nonzero=*/true), pod, resource->weight});
  }
  return scores_use(strategy, args.shape, std::move(uses));
}

}  // namespace winnow::priorities::removed
