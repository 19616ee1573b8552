// DynamicResources as a score: of a request with alternatives an earlier one is better. Each request that
// gets its alternative number i (from 0) adds 8 - i; the raw scores are scaled so that the largest is 100.
// Upstream: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go Score v1.37.2.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cluster/rule/args_schema.h"
#include "cluster/rule/cause.h"
#include "cluster/rule/pod_devices.h"
#include "priorities/records.h"
#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority dynamic_resources;

namespace {

class DynamicResources final : public Priority {
 public:
  explicit DynamicResources(std::unique_ptr<const PodDevices> devices) : devices_(std::move(devices)) {}

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) out[i] = devices_->judge(nodes[i]).score;
  }
  void reduce(std::span<const NodeId>, std::span<std::int64_t> scores) const override {
    normalize(scores, kMaxNodeScore, /*reversed=*/false);
  }

 private:
  const std::unique_ptr<const PodDevices> devices_;
};

/// Null: no request of the pod's has alternatives, or the filter refuses the pod.
std::unique_ptr<const PodDevices> devices_with_alternatives(const Request& request,
                                                            const Arguments& arguments) {
  const auto* const given = arguments.get_if<DynamicResourcesArgs>();
  auto devices = PodDevices::of(request, given ? *given : DynamicResourcesArgs());
  return devices && *devices && (*devices)->has_alternatives() ? std::move(*devices) : nullptr;
}

/// Tells which alternatives of a claim an allocation takes.
void add_alternatives(const ResourceClaim& claim, const DeviceAllocation& allocation,
                      std::vector<Cause>& facts) {
  for (const ClaimRequest& request : claim.spec.requests)
    for (std::size_t i = 0; i < request.first_available.size(); ++i) {
      const std::string& alternative = request.first_available[i].name;
      if (!std::ranges::contains(allocation.devices, request.name + '/' + alternative,
                                 &AllocatedDevice::request))
        continue;
      facts.push_back(Cause{"alternative"}
                          .with("claim", key_of(claim.metadata))
                          .with("request", request.name)
                          .with("alternative", alternative)
                          .with("place", static_cast<std::int64_t>(i + 1))
                          .with("of", static_cast<std::int64_t>(request.first_available.size())));
    }
}

std::unique_ptr<const CauseFinder> find_alternatives(const Request& request, const Arguments& arguments) {
  auto devices = devices_with_alternatives(request, arguments);
  if (!devices) return nullptr;
  return make_cause_finder([found = std::shared_ptr<const PodDevices>(std::move(devices))](
                               NodeId node, std::vector<Cause>& facts) {
    for (const ResourceClaim* claim : found->all())
      if (claim->allocation) add_alternatives(*claim, *claim->allocation, facts);
    const auto allocations = found->allocate(node);
    for (std::size_t i = 0; allocations && i < allocations->size(); ++i)
      add_alternatives(*found->to_allocate()[i], (*allocations)[i], facts);
  });
}

}  // namespace

BoundPriority dynamic_resources(const Request& request, const Arguments& arguments) {
  auto devices = devices_with_alternatives(request, arguments);
  if (!devices) return std::make_unique<Constant>(0);
  return std::make_unique<DynamicResources>(std::move(devices));
}

}  // namespace winnow::priorities::today

namespace winnow::priorities {

// The records.

namespace {

constexpr Record kDeviceRecords[] = {
    {.name = "DynamicResources",
     .origin = RuleOrigin::kToday,
     .bind = today::dynamic_resources,
     .needs = needs::kDevices,
     .made_by = today::find_alternatives,
     .may_skip = false,
     .without_pre_filter = "not found",
     .scores_its_filters = true,
     .releases = {{.release = Release::k1_37,
                   .points = points::kScore,
                   .args = &kDynamicResourcesArgs,
                   .weight = 2}}},
};

}  // namespace

Records devices_records;

std::span<const Record> devices_records() { return kDeviceRecords; }

}  // namespace winnow::priorities
