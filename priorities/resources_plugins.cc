#include <algorithm>
#include <format>

#include "cluster/api/resource_name.h"
#include "cluster/go_math.h"
#include "cluster/rule/args_schema.h"
#include "cluster/rule/extended_resource_claim.h"
#include "cluster/rule/shared_args.h"
#include "cluster/state/pod_requests.h"
#include "priorities/records.h"
#include "priorities/resources.h"
#include "priorities/share_lanes.h"

namespace winnow::priorities {
namespace {

std::int64_t free_of(std::int64_t used, std::int64_t capacity) {
  return priorities::free_share(used, capacity, kMaxNodeScore);
}

std::int64_t used_of(std::int64_t used, std::int64_t capacity) {
  return priorities::share(std::min(used, capacity), capacity, kMaxNodeScore);
}

template <std::int64_t (*kShare)(std::int64_t used, std::int64_t capacity), auto kAdd>
class MeanUse final : public PerNode<MeanUse<kShare, kAdd>> {
 public:
  explicit MeanUse(std::vector<ResourceUse> uses) : uses_(std::move(uses)) {
    for (const ResourceUse& use : uses_) {
      weights_ = wrap_add(weights_, use.weight);
      in_blocks_ &= use.weight > 0 && use.weight <= kMostWeight && is_plain(use.pod);
    }
    in_blocks_ &= weights_ > 0 && weights_ <= kMostWeight;
  }

  std::int64_t score(NodeId node) const {
    std::int64_t sum = 0, weights = 0;
    for (const ResourceUse& use : uses_) {
      const std::int64_t capacity = use.node.allocatable[node];
      if (capacity == 0) continue;
      sum = wrap_add(sum, wrap_multiply(kShare(use.used(node), capacity), use.weight));
      weights = wrap_add(weights, use.weight);
    }
    return weights == 0 ? 0 : fast_divide(sum, weights);
  }

  bool score_block(std::span<const NodeId> nodes, std::span<std::int64_t> out) const {
    if (!in_blocks_) return false;
    const ShareLanes& lanes = share_lanes();
    AmountBlock amounts;
    SumBlock sums;
    std::ranges::fill(std::span(sums.sums).first(nodes.size()), 0);
    for (const ResourceUse& use : uses_) {
      if (!amounts.read(use, nodes)) return false;
      (lanes.*kAdd)(amounts, static_cast<double>(use.pod), static_cast<double>(use.weight), nodes.size(),
                    sums);
    }
    lanes.divide(sums, static_cast<double>(weights_), nodes.size(), out.data());
    return true;
  }

 private:
  /// So that a hundred times it is below 2^31.
  static constexpr std::int64_t kMostWeight = 1 << 20;

  const std::vector<ResourceUse> uses_;
  std::int64_t weights_ = 0;
  bool in_blocks_ = true;
};

class CapacityRatio final : public ShapedMean<CapacityRatio> {
 public:
  using ShapedMean::ShapedMean;
  static std::optional<std::int64_t> percent(const ResourceUse& use, NodeId node) {
    const std::int64_t capacity = use.node.allocatable[node];
    if (capacity == 0) return std::nullopt;
    const std::int64_t used = use.used(node);
    return used > capacity ? 100 : share(used, capacity, 100);
  }
};

/// Scores of a shape are configured from 0 to 10.
UtilizationShape scaled(UtilizationShape shape) {
  for (UtilizationPoint& point : shape) point.score *= kMaxNodeScore / kMaxClassicScore;
  return shape;
}

}  // namespace

std::unique_ptr<const Priority> scores_use(ScoringStrategy strategy, const UtilizationShape& shape,
                                           std::vector<ResourceUse> uses) {
  switch (strategy) {
    case ScoringStrategy::kMostAllocated:
      return std::make_unique<MeanUse<used_of, &ShareLanes::add_used>>(std::move(uses));
    case ScoringStrategy::kRequestedToCapacityRatio:
      return std::make_unique<CapacityRatio>(scaled(shape), std::move(uses));
    default:
      return std::make_unique<MeanUse<free_of, &ShareLanes::add_free>>(std::move(uses));
  }
}

}  // namespace winnow::priorities

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

const ResourceScoreArgs& score_args(const Arguments& arguments) {
  static const ResourceScoreArgs kDefaults;
  const auto* const given = arguments.get_if<ResourceScoreArgs>();
  return given ? *given : kDefaults;
}

/// The resources that the three weigh, by name.
std::vector<std::pair<std::string, ResourceUse>> weighed_uses(const Request& request,
                                                              const Arguments& arguments) {
  const ResourceScoreArgs& args = score_args(arguments);
  const PodRequests requests =
      pod_requests(request.pod, Accounting::kV116WithOverhead, /*with_status=*/false);
  std::vector<std::pair<std::string, ResourceUse>> uses;
  for (auto resource = args.resources.begin(); resource != args.resources.end(); ++resource) {
    if (std::ranges::contains(resource + 1, args.resources.end(), resource->name, &WeighedResource::name))
      continue;
    const std::int64_t pod = requested(requests, resource->name);
    if (pod == 0 && is_scalar_resource(resource->name)) continue;
    uses.emplace_back(
        resource->name,
        ResourceUse{resource_columns(request.view, resource->name, /*nonzero=*/true), pod, resource->weight});
  }
  return uses;
}

std::unique_ptr<const CauseFinder> find_weighed_uses(const Request& request, const Arguments& arguments) {
  return find_uses(weighed_uses(request, arguments));
}

}  // namespace

std::unique_ptr<const Priority> resource_score(const Request& request, const Arguments& arguments,
                                               ScoringStrategy strategy) {
  std::vector<ResourceUse> uses;
  for (auto& [name, use] : weighed_uses(request, arguments)) uses.push_back(use);
  return scores_use(strategy, score_args(arguments).shape, std::move(uses));
}

// NodeResourcesLeastAllocated: prefers nodes whose resources stay free.
// Upstream: plugins/noderesources/least_allocated.go v1.22.17.

BindPriority node_resources_least_allocated;

BoundPriority node_resources_least_allocated(const Request& request, const Arguments& arguments) {
  return resource_score(request, arguments, ScoringStrategy::kLeastAllocated);
}

// NodeResourcesMostAllocated: prefers nodes whose resources are used.
// Upstream: plugins/noderesources/most_allocated.go v1.22.17.

BindPriority node_resources_most_allocated;

BoundPriority node_resources_most_allocated(const Request& request, const Arguments& arguments) {
  return resource_score(request, arguments, ScoringStrategy::kMostAllocated);
}

// RequestedToCapacityRatio: scores nodes by a line through a shape, at the share of their resources that is
// used. Upstream: plugins/noderesources/requested_to_capacity_ratio.go v1.22.17.

BindPriority requested_to_capacity_ratio;

BoundPriority requested_to_capacity_ratio(const Request& request, const Arguments& arguments) {
  const auto* const args = arguments.get_if<ResourceScoreArgs>();
  if (!args || args->shape.empty()) return nullptr;  // A configuration cannot leave out the shape.
  return resource_score(request, arguments, ScoringStrategy::kRequestedToCapacityRatio);
}

}  // namespace winnow::priorities::removed

namespace winnow::priorities::today {

// NodeResourcesFit as a score: the share of the node's resources that would be used, or stay free, if the pod
// ran there, by one of three strategies (scores_use()). A resource that the node does not have is left out,
// and so is a scalar one that the pod does not request.
// The pod's own pod-level requests do not count, although those of running pods do: upstream's scorer is
// never told of that feature. No pod is skipped.
// Upstream: pkg/scheduler/framework/plugins/noderesources/fit.go, resource_allocation.go v1.37.0.

BindPriority node_resources_fit;

namespace {

const NodeResourcesFitArgs& fit_args(const Arguments& arguments) {
  static const NodeResourcesFitArgs kDefaults;
  const auto* const given = arguments.get_if<NodeResourcesFitArgs>();
  return given ? *given : kDefaults;
}

ResourceList fit_requests(const Pod& pod) {
  return pod_request_list(pod, {.with_pod_level = false, .defaults = default_requests()});
}

std::unique_ptr<const CauseFinder> find_uses_of_fit(const Request& request, const Arguments& arguments) {
  return find_uses(request.view, fit_args(arguments).resources, fit_requests(request.pod), /*nonzero=*/true);
}

}  // namespace

BoundPriority node_resources_fit(const Request& request, const Arguments& arguments) {
  const NodeResourcesFitArgs& args = fit_args(arguments);
  return scores_use(args.strategy, args.shape,
                    resource_uses(request.view, args.resources, fit_requests(request.pod), /*nonzero=*/true));
}

// NodeResourcesBalancedAllocation: prefers nodes where the pod makes the used shares of resources more equal.
// The score is 50 + (50 + with - without)/2, where with and without are the balances with and without the
// pod. A balance is int((1 - deviation)*100). For two resources the deviation is half the difference of their
// shares, for more it is the standard deviation, and for fewer 0. A share is at most 1.
// A resource that the node does not have is left out, and so is a scalar one that the pod does not request. A
// pod that requests none of the resources is skipped. Containers without a request count 0. A resize in the
// pod's status counts.
// Upstream: pkg/scheduler/framework/plugins/noderesources/balanced_allocation.go, resource_allocation.go
// v1.37.0.

BindPriority node_resources_balanced_allocation;

namespace {

class BalancedAllocation final : public PerNode<BalancedAllocation> {
 public:
  explicit BalancedAllocation(std::vector<ResourceUse> uses) : uses_(std::move(uses)) {}

  std::int64_t score(NodeId node) const {
    Shares with, without;
    int count = 0;
    visit_shares(node, [&](double used, double before) {
      with.add(used);
      without.add(before);
      ++count;
    });
    double deviation_with = 0, deviation_without = 0;
    if (count == 2) {
      deviation_with = std::fabs(with.difference / 2);
      deviation_without = std::fabs(without.difference / 2);
    } else if (count > 2) {
      const double mean_with = with.total / count, mean_without = without.total / count;
      double sum_with = 0, sum_without = 0;
      visit_shares(node, [&](double used, double before) {
        sum_with += (used - mean_with) * (used - mean_with);
        sum_without += (before - mean_without) * (before - mean_without);
      });
      deviation_with = std::sqrt(sum_with / count);
      deviation_without = std::sqrt(sum_without / count);
    }
    const std::int64_t change = wrap_subtract(balance(deviation_with), balance(deviation_without));
    return kMaxNodeScore / 2 + wrap_add(kMaxNodeScore / 2, change) / 2;
  }

  bool score_block(std::span<const NodeId> nodes, std::span<std::int64_t> out) const {
    if (uses_.size() != 2 || !is_plain(uses_[0].pod) || !is_plain(uses_[1].pod)) return false;
    AmountBlock first, second;
    if (!first.read(uses_[0], nodes) || !second.read(uses_[1], nodes)) return false;
    share_lanes().balance(first, static_cast<double>(uses_[0].pod), second, static_cast<double>(uses_[1].pod),
                          nodes.size(), out.data());
    return true;
  }

 private:
  struct Shares {
    double total = 0, difference = 0;
    void add(double share) {
      total += share;
      difference = share - difference;
    }
  };

  /// Calls visit with the used shares of each resource that the node has, in order: with the pod, without it.
  template <class Visit>
  void visit_shares(NodeId node, const Visit& visit) const {
    for (const ResourceUse& use : uses_) {
      const std::int64_t capacity = use.node.allocatable[node];
      if (capacity == 0) continue;
      const std::int64_t requested = use.node.requested[node];
      visit(share(wrap_add(requested, use.pod), capacity), share(requested, capacity));
    }
  }
  static double share(std::int64_t used, std::int64_t capacity) {
    return std::min(static_cast<double>(used) / static_cast<double>(capacity), 1.0);
  }
  static std::int64_t balance(double deviation) {
    return wrap_truncate((1 - deviation) * static_cast<double>(kMaxNodeScore));
  }

  const std::vector<ResourceUse> uses_;
};

}  // namespace

namespace {

const std::vector<WeighedResource>& balanced_resources(const Arguments& arguments) {
  static const BalancedAllocationArgs kDefaults;
  const auto* const given = arguments.get_if<BalancedAllocationArgs>();
  return given ? given->resources : kDefaults.resources;
}

std::unique_ptr<const CauseFinder> find_balanced_uses(const Request& request, const Arguments& arguments) {
  const ResourceList requests = pod_request_list(request.pod, {.with_status = true});
  return find_uses(request.view, balanced_resources(arguments), requests, /*nonzero=*/false);
}

}  // namespace

namespace {

bool has_extended_resource(const std::vector<WeighedResource>& resources) {
  return std::ranges::any_of(resources, may_be_provided_by_devices, &WeighedResource::name);
}
bool fit_reads_devices(const Arguments& arguments) {
  return has_extended_resource(fit_args(arguments).resources);
}
bool balance_reads_devices(const Arguments& arguments) {
  return has_extended_resource(balanced_resources(arguments));
}

}  // namespace

BoundPriority node_resources_balanced_allocation(const Request& request, const Arguments& arguments) {
  const std::vector<WeighedResource>& resources = balanced_resources(arguments);
  const ResourceList requests = pod_request_list(request.pod, {.with_status = true});
  const auto asks = [&](const WeighedResource& resource) { return amount_of(requests, resource.name) != 0; };
  if (std::ranges::none_of(resources, asks)) return nullptr;
  return std::make_unique<BalancedAllocation>(
      resource_uses(request.view, resources, requests, /*nonzero=*/false));
}

}  // namespace winnow::priorities::today

namespace winnow::priorities {

// Their arguments.

namespace {

using namespace fields;

constexpr Field kResourceScoreFields[] = {kKind, kApiVersion, {"resources", &kWeighedResources}};
constexpr FieldType kResourceScoreType = object(kResourceScoreFields);
constexpr Field kRatioFields[] = {
    kKind, kApiVersion, {"shape", &kUtilizationShape}, {"resources", &kWeighedResources}};
constexpr FieldType kRatioType = object(kRatioFields);
constexpr FieldType kRatioType118 = object(std::span(kRatioFields).subspan(2));

PluginArgs read_balanced_args(const WrittenArgs& written) {
  BalancedAllocationArgs args;
  args.resources.clear();
  written.object.read("resources", args.resources);
  put_default_resources(args.resources);
  const auto check = [&]() -> FieldResult {
    for (std::size_t i = 0; i < args.resources.size(); ++i) {
      const auto& [name, weight] = args.resources[i];
      const std::string at = element(child(written.path, "resources"), i);
      const auto before = std::span(args.resources).first(i);
      if (std::ranges::find(before, name, &WeighedResource::name) != before.end())
        return duplicate(child(at, "name"), name);
      if (weight != 1) return invalid(child(at, "weight"), weight, "must be 1");
    }
    return {};
  };
  FieldResult sound = check();
  return {std::move(args), std::move(sound)};
}

/// Reads the resources, if there are any: otherwise they stay the defaults.
void read_resources(const Reader& r, ResourceScoreArgs& args) {
  std::vector<WeighedResource> written;
  r.read("resources", written);
  if (!written.empty()) args.resources = std::move(written);
}

/// Unlike in other plugins, an absent weight is not 1: it is refused.
PluginArgs read_resource_score(const WrittenArgs& written) {
  ResourceScoreArgs args;
  read_resources(written.object, args);
  FieldResult sound = check_resources(args.resources, child(written.path, "resources"));
  return {std::move(args), std::move(sound)};
}

/// Upstream: validateResourcesNoMax.
FieldResult check_least_weights(const std::vector<WeighedResource>& resources, std::string_view path) {
  for (std::size_t i = 0; i < resources.size(); ++i)
    if (const auto& [name, weight] = resources[i]; weight < 1)
      return invalid(child(element(path, i), "weight"), weight,
                     std::format("resource weight of {} not in valid range [1, inf)", name));
  return {};
}

PluginArgs read_capacity_ratio(const WrittenArgs& written) {
  const auto& [r, path, ignored, plugin] = written;
  ResourceScoreArgs args;
  read_resources(r, args);
  for (WeighedResource& resource : args.resources)
    if (resource.weight == 0) resource.weight = 1;
  r.read("shape", args.shape);
  FieldResult sound = check_shape(args.shape, child(path, "shape"));
  if (sound) sound = check_least_weights(args.resources, child(path, "resources"));
  return {std::move(args), std::move(sound)};
}

/// Of v1.18.20. Weights are not checked.
PluginArgs read_capacity_ratio_118(const WrittenArgs& written) {
  ResourceScoreArgs args;
  std::vector<WeighedResource> resources;
  written.object.read("resources", resources);
  for (WeighedResource& resource : resources)
    if (resource.weight == 0) resource.weight = 1;
  if (!resources.empty()) args.resources = std::move(resources);
  written.object.read("shape", args.shape);
  FieldResult sound = check_shape(args.shape, child(written.path, "shape"));
  return {std::move(args), std::move(sound)};
}

constexpr ArgsSchema kBalancedAllocationArgs{kResourceScoreType, read_balanced_args};
constexpr ArgsSchema kResourceScoreArgs{kResourceScoreType, read_resource_score};
constexpr ArgsSchema kCapacityRatioArgs{kRatioType, read_capacity_ratio};
constexpr ArgsSchema kCapacityRatioArgs118{kRatioType118, read_capacity_ratio_118};

}  // namespace

// The records.

namespace {

constexpr Record kResourcesPluginsRecords[] = {
    {.name = "NodeResourcesFit",
     .origin = RuleOrigin::kToday,
     .bind = today::node_resources_fit,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .reads_devices = today::fit_reads_devices,
     .made_by = today::find_uses_of_fit,
     .may_skip = false,
     .releases = {{.release = Release::k1_22, .points = points::kScore, .weight = 1},
                  {.release = Release::k1_27, .points = points::kPreScoreAndScore, .weight = 1},
                  {.release = Release::k1_37,
                   .points = PointSet(Point::kPreScore, Point::kScore, Point::kPlacementScore),
                   .weight = 1}}},
    {.name = "NodeResourcesBalancedAllocation",
     .origin = RuleOrigin::kToday,
     .bind = today::node_resources_balanced_allocation,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .reads_devices = today::balance_reads_devices,
     .made_by = today::find_balanced_uses,
     .releases = {{.release = Release::k1_18, .points = points::kScore, .weight = 1},
                  {.release = Release::k1_22,
                   .points = points::kScore,
                   .args = &kBalancedAllocationArgs,
                   .weight = 1},
                  {.release = Release::k1_27,
                   .points = points::kPreScoreAndScore,
                   .args = &kBalancedAllocationArgs,
                   .weight = 1}}},
    {.name = "NodeResourcesLeastAllocated",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::node_resources_least_allocated,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = removed::find_weighed_uses,
     .may_skip = false,
     .releases =
         {{.release = Release::k1_18, .points = points::kScore, .weight = 1},
          {.release = Release::k1_22, .points = points::kScore, .args = &kResourceScoreArgs, .weight = 1},
          {.release = Release::k1_27, .points = points::kNone},
          {.release = Release::k1_37, .points = points::kScore, .args = &kResourceScoreArgs}}},
    {.name = "NodeResourcesMostAllocated",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::node_resources_most_allocated,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = removed::find_weighed_uses,
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kScore, .weight = 1},
                  {.release = Release::k1_22, .points = points::kScore, .args = &kResourceScoreArgs},
                  {.release = Release::k1_27, .points = points::kNone},
                  {.release = Release::k1_37, .points = points::kScore, .args = &kResourceScoreArgs}}},
    {.name = "RequestedToCapacityRatio",
     .origin = RuleOrigin::kRemoved,
     .bind = removed::requested_to_capacity_ratio,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = removed::find_weighed_uses,
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kScore, .args = &kCapacityRatioArgs118},
                  {.release = Release::k1_22, .points = points::kScore, .args = &kCapacityRatioArgs},
                  {.release = Release::k1_27, .points = points::kNone},
                  {.release = Release::k1_37, .points = points::kScore, .args = &kCapacityRatioArgs}}},
};

}  // namespace

Records resources_plugins_records;

std::span<const Record> resources_plugins_records() { return kResourcesPluginsRecords; }

}  // namespace winnow::priorities
