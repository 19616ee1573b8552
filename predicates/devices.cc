// DynamicResources as a filter: the node has devices for the pod's claims, and for the resources of its
// containers that a DeviceClass provides. cluster/rule/pod_devices.h computes it.
#include <cstdint>
#include <memory>
#include <utility>

#include "cluster/rule/args_schema.h"
#include "cluster/rule/cause.h"
#include "cluster/rule/pod_devices.h"
#include "cluster/rule/reasons.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates::today {

BindPredicate dynamic_resources;

namespace {

DynamicResourcesArgs args_of(const Arguments& arguments) {
  const auto* const given = arguments.get_if<DynamicResourcesArgs>();
  return given ? *given : DynamicResourcesArgs();
}

class DynamicResources final : public Predicate {
 public:
  DynamicResources(const Request& request, std::unique_ptr<const PodDevices> devices)
      : lists_(*request.reason_lists), devices_(std::move(devices)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      NodeDevices judged = devices_->judge(nodes[i]);
      if (judged.fit != Fit::kFits) out[i] = verdict_of(std::move(judged));
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }
  bool ignores_nominated() const override { return true; }

 private:
  Verdict verdict_of(NodeDevices judged) const {
    for (std::size_t i = 0; i < reasons_.size(); ++i)
      if (judged.reason == reasons_[i]) return Verdict::of(judged.fit, std::uint64_t{1} << i);
    return lists_.verdict(judged.fit, {std::move(judged.reason)});
  }

  ReasonLists& lists_;
  const std::unique_ptr<const PodDevices> devices_;
  const std::array<std::string, 2> reasons_{"cannot allocate all claims",
                                            "resourceclaim not available on the node"};
};

std::unique_ptr<const CauseFinder> causes_of_dynamic_resources(const Request& request,
                                                               const Arguments& arguments) {
  auto devices = PodDevices::of(request, args_of(arguments));
  if (!devices) {
    const DeviceRefusal& refusal = devices.error();
    return everywhere(refusal.claim.empty()
                          ? Cause{"error"}.with("error", refusal.reason)
                          : Cause{"claim"}.with("claim", refusal.claim).with("why", refusal.why));
  }
  if (!*devices) return nullptr;
  return make_cause_finder([found = std::shared_ptr<const PodDevices>(std::move(*devices))](
                               NodeId node, std::vector<Cause>& causes) { found->explain(node, causes); });
}

}  // namespace

std::unique_ptr<const Predicate> dynamic_resources(const Request& request, const Arguments& arguments) {
  auto devices = PodDevices::of(request, args_of(arguments));
  if (!devices) return std::make_unique<RefusesPod>(devices.error().fit, std::move(devices.error().reason));
  if (!*devices) return nullptr;
  return std::make_unique<DynamicResources>(request, std::move(*devices));
}

}  // namespace winnow::predicates::today

namespace winnow::predicates {

// The records.

namespace {

using enum Point;

constexpr PointSet kDevices127(kPreFilter, kFilter, kPostFilter, kPreScore, kReserve, kPostBind);
constexpr PointSet kDevices(kPreEnqueue, kPreFilter, kFilter, kPostFilter, kPodGroupPostFilter, kReserve,
                            kPreBind);

constexpr Record kDeviceRecords[] = {
    {.name = "DynamicResources",
     .origin = RuleOrigin::kToday,
     .bind = today::dynamic_resources,
     .needs = needs::kDevices,
     .follows_by = kNever,
     .causes = today::causes_of_dynamic_resources,
     .checks = "devices for the pod's claims",
     .best = Best::kKubeScheduler,
     .without_pre_filter = "not found",
     .releases = {{.release = Release::k1_27, .points = kDevices127},
                  {.release = Release::k1_28, .points = kDevices127 | PointSet(kPreEnqueue)},
                  {.release = Release::k1_37, .points = kDevices, .args = &kDynamicResourcesArgs}}},
};

}  // namespace

Records devices_records;

std::span<const Record> devices_records() { return kDeviceRecords; }

}  // namespace winnow::predicates
