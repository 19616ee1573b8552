#include "priorities/resources.h"

#include <algorithm>
#include <cmath>
#include <format>

#include "cluster/api/resource_name.h"
#include "cluster/go_math.h"
#include "cluster/rule/device_requests.h"
#include "cluster/rule/device_totals.h"
#include "cluster/rule/extended_resource_claim.h"
#include "cluster/rule/pod_devices.h"
#include "cluster/rule/policy_argument.h"
#include "cluster/state/pod_requests.h"
#include "priorities/records.h"
#include "priorities/rules.h"

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

namespace {

/// Has the devices of a class count on the nodes that do not offer the resource themselves.
void count_devices_too(const View& view, const std::string& resource, ResourceUse& use) {
  if (!may_be_provided_by_devices(resource) || !knows_devices(view.state())) return;
  const DeviceClass* const by = device_class_of(view.objects(), resource);
  if (!by) return;
  DeviceTotals totals = count_devices(view, *by);
  for (std::size_t i = 0; i < totals.devices.size(); ++i) {
    const auto node = static_cast<NodeId>(i);
    if (use.node.allocatable[node] == 0 && totals.devices[i] > 0) continue;
    totals.devices[i] = use.node.allocatable[node];
    totals.allocated[i] = use.node.requested[node];
  }
  const auto kept = std::make_shared<const DeviceTotals>(std::move(totals));
  use.node = {Column<std::int64_t>(&kept->devices, nullptr, kNone, 0),
              Column<std::int64_t>(&kept->allocated, nullptr, kNone, 0)};
  use.by_devices = kept;
}

}  // namespace

std::vector<ResourceUse> resource_uses(const View& view, std::span<const WeighedResource> resources,
                                       const ResourceList& requests, bool nonzero) {
  std::vector<ResourceUse> uses;
  for (const WeighedResource& resource : resources) {
    const std::int64_t pod = amount_of(requests, resource.name);
    if (pod == 0 && is_scalar_resource(resource.name)) continue;
    uses.push_back({resource_columns(view, resource.name, nonzero), pod, resource.weight});
    count_devices_too(view, resource.name, uses.back());
  }
  return uses;
}

namespace {

/// Adds a resource as it would be used with the pod there, unless the node has none.
void add_use(const std::string& resource, std::int64_t requested, std::int64_t allocatable,
             std::vector<Cause>& facts) {
  if (allocatable == 0) return;
  Cause& fact = facts.emplace_back("use");
  fact.with("resource", resource).with("requested", amount_text(resource, requested));
  fact.with("allocatable", amount_text(resource, allocatable));
  fact.with("free", priorities::free_share(requested, allocatable, 100));
}

/// The cpu and memory that would be used, as UsedShare counts them.
std::unique_ptr<const CauseFinder> find_used_share(const Request& request, const Arguments&) {
  return make_cause_finder([used = UsedShare(request)](NodeId node, std::vector<Cause>& facts) {
    add_use("cpu", used.cpu(node).requested, used.cpu(node).capacity, facts);
    add_use("memory", used.memory(node).requested, used.memory(node).capacity, facts);
  });
}

}  // namespace

std::unique_ptr<const CauseFinder> find_uses(std::vector<std::pair<std::string, ResourceUse>> uses) {
  return make_cause_finder([uses = std::move(uses)](NodeId node, std::vector<Cause>& facts) {
    for (const auto& [resource, use] : uses)
      add_use(resource, use.used(node), use.node.allocatable[node], facts);
  });
}

std::unique_ptr<const CauseFinder> find_uses(const View& view, std::span<const WeighedResource> resources,
                                             const ResourceList& requests, bool nonzero) {
  std::vector<std::pair<std::string, ResourceUse>> uses;
  for (const WeighedResource& resource : resources)
    for (const ResourceUse& use : resource_uses(view, {&resource, 1}, requests, nonzero))
      uses.emplace_back(resource.name, use);
  return find_uses(std::move(uses));
}

UsedShare::UsedShare(const Request& request)
    : allocatable_cpu_(request.view.column(&NodeTable::allocatable_cpu)),
      allocatable_memory_(request.view.column(&NodeTable::allocatable_memory)),
      nonzero_cpu_(request.view.column(&NodeTable::nonzero_cpu)),
      nonzero_memory_(request.view.column(&NodeTable::nonzero_memory)) {
  const PodRequests requests = pod_requests(request.pod, request.accounting, /*with_status=*/false);
  pod_cpu_ = requests.nonzero_milli_cpu;
  pod_memory_ = requests.nonzero_memory;
}

// LeastRequestedPriority: prefers nodes where more cpu and memory would stay free. The score is
// (free cpu * 10 / cpu + free memory * 10 / memory) / 2, and each division truncates. A resource that is
// overcommitted, or that the node does not have, gives 0.
// Upstream: priorities/least_requested.go v1.16.15.

BindPriority least_requested;

namespace {

std::int64_t free_share(UsedShare::Amounts amounts) {
  return priorities::free_share(amounts.requested, amounts.capacity, kMaxClassicScore);
}

class LeastRequested final : public PerNode<LeastRequested> {
 public:
  explicit LeastRequested(const Request& request) : used_(request) {}
  std::int64_t score(NodeId node) const {
    return wrap_add(free_share(used_.cpu(node)), free_share(used_.memory(node))) / 2;
  }

 private:
  const UsedShare used_;
};

}  // namespace

BoundPriority least_requested(const Request& request, const Arguments&) {
  return std::make_unique<LeastRequested>(request);
}

// MostRequestedPriority: prefers nodes where more cpu and memory would be used. The score is
// (used cpu * 10 / cpu + used memory * 10 / memory) / 2, and each division truncates. A resource that is
// overcommitted, or that the node does not have, gives 0.
// Upstream: priorities/most_requested.go v1.16.15.

BindPriority most_requested;

namespace {

std::int64_t used_share(UsedShare::Amounts amounts) {
  if (amounts.capacity == 0 || amounts.requested > amounts.capacity) return 0;
  return share(amounts.requested, amounts.capacity, kMaxClassicScore);
}

class MostRequested final : public PerNode<MostRequested> {
 public:
  explicit MostRequested(const Request& request) : used_(request) {}
  std::int64_t score(NodeId node) const {
    return wrap_add(used_share(used_.cpu(node)), used_share(used_.memory(node))) / 2;
  }

 private:
  const UsedShare used_;
};

}  // namespace

BoundPriority most_requested(const Request& request, const Arguments&) {
  return std::make_unique<MostRequested>(request);
}

// BalancedResourceAllocation: prefers nodes whose used shares of cpu and memory are close to each other. The
// score is int((1 - |cpu share - memory share|) * 10) in float64. It is 0 if either is used up; a resource
// that the node does not have counts as used up.
// Upstream: priorities/balanced_resource_allocation.go v1.16.15 (without volumes, whose gate is off).

BindPriority balanced_resource_allocation;

namespace {

double fraction(UsedShare::Amounts amounts) {
  return amounts.capacity == 0
             ? 1
             : static_cast<double>(amounts.requested) / static_cast<double>(amounts.capacity);
}

class BalancedResourceAllocation final : public PerNode<BalancedResourceAllocation> {
 public:
  explicit BalancedResourceAllocation(const Request& request) : used_(request) {}

  std::int64_t score(NodeId node) const {
    const double cpu = fraction(used_.cpu(node));
    const double memory = fraction(used_.memory(node));
    if (cpu >= 1 || memory >= 1) return 0;
    return wrap_truncate((1 - std::fabs(cpu - memory)) * static_cast<double>(kMaxClassicScore));
  }

 private:
  const UsedShare used_;
};

}  // namespace

BoundPriority balanced_resource_allocation(const Request& request, const Arguments&) {
  return std::make_unique<BalancedResourceAllocation>(request);
}

// RequestedToCapacityRatioPriority, and the priority of the argument requestedToCapacityRatioArguments. Each
// resource's score is read off a line through the points of a shape, at the percentage that would be used.
// The node's score is the weighted mean, without resources that score 0, rounded half away from zero. Without
// the argument cpu and memory weigh the same, and the line falls from 10 at 0 % to 0 at 100 %.
// Example: a pod of 1 cpu on a node of 4 cpu, with 1 used. 100 - (4-2)*100/4 = 50 %, and
// 10 + (0-10)*(50-0)/(100-0) = 5.
// Upstream: priorities/requested_to_capacity_ratio.go, resource_allocation.go v1.16.15.

BindPriority requested_to_capacity_ratio;

namespace {

constexpr std::int64_t kFull = 100;

const CapacityRatioShape& default_shape() {
  static const CapacityRatioShape kShape{{{0, kMaxClassicScore}, {kFull, 0}}, {{"cpu", 1}, {"memory", 1}}};
  return kShape;
}

class RequestedToCapacityRatio final : public ShapedMean<RequestedToCapacityRatio> {
 public:
  using ShapedMean::ShapedMean;
  /// A resource that the node does not have counts as used up.
  static std::optional<std::int64_t> percent(const ResourceUse& use, NodeId node) {
    const std::int64_t capacity = use.node.allocatable[node];
    const std::int64_t used = use.used(node);
    if (capacity == 0 || used > capacity) return kFull;
    return wrap_subtract(kFull, share(wrap_subtract(capacity, used), capacity, kFull));
  }
};

/// The pod's request of a resource.
std::int64_t asked(const PodRequests& pod, const std::string& resource) {
  if (resource == "cpu") return pod.nonzero_milli_cpu;
  if (resource == "memory") return pod.nonzero_memory;
  if (resource == "ephemeral-storage") return pod.ephemeral_storage;
  const auto asked = std::ranges::find(pod.scalars, resource, &std::pair<std::string, std::int64_t>::first);
  return asked == pod.scalars.end() ? 0 : asked->second;
}

const CapacityRatioShape& shape_of(const Arguments& arguments) {
  const auto* const given = arguments.get_if<CapacityRatioShape>();
  return given ? *given : default_shape();
}

/// The resources of the shape, by name.
std::vector<std::pair<std::string, ResourceUse>> shaped_uses(const Request& request,
                                                             const Arguments& arguments) {
  const PodRequests pod = pod_requests(request.pod, request.accounting, /*with_status=*/false);
  std::vector<std::pair<std::string, ResourceUse>> uses;
  for (const auto& [name, weight] : shape_of(arguments).resources)
    uses.emplace_back(
        name, ResourceUse{resource_columns(request.view, name, /*nonzero=*/true), asked(pod, name), weight});
  return uses;
}

std::unique_ptr<const CauseFinder> find_shaped_uses(const Request& request, const Arguments& arguments) {
  return find_uses(shaped_uses(request, arguments));
}

}  // namespace

BoundPriority requested_to_capacity_ratio(const Request& request, const Arguments& arguments) {
  std::vector<ResourceUse> uses;
  for (auto& [name, use] : shaped_uses(request, arguments)) uses.push_back(use);
  return std::make_unique<RequestedToCapacityRatio>(shape_of(arguments).points, std::move(uses));
}

// ResourceLimitsPriority: 1 for a node whose allocatable reaches the pod's cpu limit or its memory limit, and
// 0 for others. A limit of 0 is no limit. The requests of other pods do not matter.
// Upstream: priorities/resource_limits.go v1.16.15.

BindPriority resource_limits;

namespace {

class ResourceLimits final : public PerNode<ResourceLimits> {
 public:
  ResourceLimits(const View& view, PodLimits limits)
      : limits_(limits),
        cpu_(view.column(&NodeTable::allocatable_cpu)),
        memory_(view.column(&NodeTable::allocatable_memory)) {}
  std::int64_t score(NodeId node) const {
    return is_met(limits_.milli_cpu, cpu_[node]) || is_met(limits_.memory, memory_[node]) ? 1 : 0;
  }

 private:
  static bool is_met(std::int64_t limit, std::int64_t allocatable) {
    return limit != 0 && allocatable != 0 && limit <= allocatable;
  }

  const PodLimits limits_;
  const Column<std::int64_t> cpu_, memory_;
};

/// Tells the pod's limits beside what the node has.
std::unique_ptr<const CauseFinder> find_limits(const Request& request, const Arguments&) {
  return make_cause_finder(
      [limits = pod_limits(request.pod, request.accounting),
       cpu = request.view.column(&NodeTable::allocatable_cpu),
       memory = request.view.column(&NodeTable::allocatable_memory)](NodeId node, std::vector<Cause>& facts) {
        const auto tell = [&](const char* resource, std::int64_t limit, std::int64_t allocatable) {
          if (limit == 0) return;
          Cause& fact = facts.emplace_back("limit");
          fact.with("resource", std::string(resource)).with("limit", amount_text(resource, limit));
          fact.with("allocatable", amount_text(resource, allocatable));
        };
        tell("cpu", limits.milli_cpu, cpu[node]);
        tell("memory", limits.memory, memory[node]);
      });
}

}  // namespace

BoundPriority resource_limits(const Request& request, const Arguments&) {
  return std::make_unique<ResourceLimits>(request.view, pod_limits(request.pod, request.accounting));
}

// The argument requestedToCapacityRatioArguments of a Policy.

namespace {

constexpr std::int64_t kMaxUtilization = 100;
constexpr std::int64_t kMaxShapeScore = 10;

/// The error for a shape; "" if it is valid.
/// Upstream: NewFunctionShape of priorities/requested_to_capacity_ratio.go v1.16.15, in its words.
std::string shape_error(std::span<const UtilizationPoint> points) {
  if (points.empty()) return "at least one point must be specified";
  for (std::size_t i = 1; i < points.size(); ++i) {
    const std::int64_t before = points[i - 1].utilization;
    const std::int64_t after = points[i].utilization;
    if (before >= after) {
      return std::format("utilization values must be sorted. Utilization[{}]=={} >= Utilization[{}]=={}",
                         i - 1, before, i, after);
    }
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto [utilization, score] = points[i];
    if (utilization < 0)
      return std::format("utilization values must not be less than 0. Utilization[{}]=={}", i, utilization);
    if (utilization > kMaxUtilization)
      return std::format("utilization values must not be greater than 100. Utilization[{}]=={}", i,
                         utilization);
    if (score < 0) return std::format("score values must not be less than 0. Score[{}]=={}", i, score);
    if (score > kMaxShapeScore)
      return std::format("score values must not be greater than 10. Score[{}]=={}", i, score);
  }
  return {};
}

/// Upstream: buildScoringFunctionShapeFromRequestedToCapacityRatioArguments of factory/plugins.go v1.16.15. A
/// weight of 0 is 1, the last of equal names counts, and an empty list is cpu and memory. Upstream only logs
/// a negative weight, and then divides by a sum of any sign. Here it is an error.
bool add_resource(const Reader& element, WeighedResource resource, std::vector<WeighedResource>& to) {
  if (resource.weight < 0) return element.complain(std::format("weight: {} is less than 0", resource.weight));
  if (resource.weight == 0) resource.weight = 1;
  const auto same = std::ranges::find(to, resource.name, &WeighedResource::name);
  if (same == to.end()) {
    to.push_back(std::move(resource));
  } else {
    *same = std::move(resource);
  }
  return true;
}

bool read_point(const Reader& element, UtilizationShape& points) {
  if (!element.expect_object()) return false;
  UtilizationPoint& point = points.emplace_back();
  return element.read("utilization", point.utilization) && element.read("score", point.score);
}

bool read_resource(const Reader& element, std::vector<WeighedResource>& resources) {
  if (!element.expect_object()) return false;
  WeighedResource resource{.name = {}, .weight = 0};
  return element.read("name", resource.name) && element.read("weight", resource.weight) &&
         add_resource(element, std::move(resource), resources);
}

bool read_capacity_ratio(const Reader& member, Arguments& target) {
  CapacityRatioShape ratio;
  const bool read =
      member.for_each_in("shape", [&](const Reader& point) { return read_point(point, ratio.points); }) &&
      member.for_each_in("resources",
                         [&](const Reader& resource) { return read_resource(resource, ratio.resources); });
  if (!read) return false;
  if (const std::string wrong = shape_error(ratio.points); !wrong.empty())
    return member.complain("shape: " + wrong);
  if (ratio.resources.empty()) ratio.resources = {{"cpu", 1}, {"memory", 1}};
  target = std::move(ratio);
  return true;
}

constexpr Field kCapacityRatioFields[] = {{"shape", &fields::kUtilizationShape},
                                          {"resources", &fields::kWeighedResources}};
constexpr FieldType kCapacityRatioType = fields::object(kCapacityRatioFields);
constexpr PolicyArgument kCapacityRatio{"requestedToCapacityRatioArguments", kCapacityRatioType,
                                        read_capacity_ratio};

}  // namespace

// The records.

namespace {

constexpr Record kResourcesRecords[] = {
    {.name = "BalancedResourceAllocation",
     .origin = RuleOrigin::kClassic,
     .bind = balanced_resource_allocation,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_used_share,
     .by_default = AtGates::kAllGates},
    {.name = "LeastRequestedPriority",
     .origin = RuleOrigin::kClassic,
     .bind = least_requested,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_used_share,
     .by_default = AtGates::kAllGates},
    {.name = "MostRequestedPriority",
     .origin = RuleOrigin::kClassic,
     .bind = most_requested,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_used_share},
    {.name = "RequestedToCapacityRatioPriority",
     .origin = RuleOrigin::kClassic,
     .bind = requested_to_capacity_ratio,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_shaped_uses},
    {.name = "",
     .origin = RuleOrigin::kClassic,
     .bind = requested_to_capacity_ratio,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_shaped_uses,
     .argument = &kCapacityRatio},
    {.name = "ResourceLimitsPriority",
     .origin = RuleOrigin::kClassic,
     .bind = resource_limits,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_limits,
     .known = AtGates::kResourceLimitsPriority,
     .by_default = AtGates::kResourceLimitsPriority},
    // Of v1.18.20, where it is off by default.
    {.name = "NodeResourceLimits",
     .origin = RuleOrigin::kRemoved,
     .bind = resource_limits,
     .needs = needs::kNothing,
     .reads = Reads::kNode,
     .made_by = find_limits,
     .without_pre_score = "Error reading \"PreScoreNodeResourceLimits\" from cycleState: not found",
     .may_skip = false,
     .releases = {{.release = Release::k1_18, .points = points::kPreScoreAndScore},
                  {.release = Release::k1_22, .points = points::kNone},
                  {.release = Release::k1_37, .points = points::kPreScoreAndScore}}},
};

}  // namespace

Records resources_records;

std::span<const Record> resources_records() { return kResourcesRecords; }

}  // namespace winnow::priorities
