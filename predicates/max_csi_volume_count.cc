// MaxCSIVolumeCountPred: a node has no more volumes of a CSI driver than its limit. The limit is set by the
// CSINode, or else by the Node's allocatable; without either there is none. Only volumes of claims count. A
// volume that the node has already never makes it fail, even if the node is over its limit.
// Upstream: csi_volume_predicate.go v1.16.15, CSI migration off.
#include <algorithm>

#include "predicates/volume_counts.h"

namespace winnow::predicates {

BindPredicate max_csi_volume_count;

namespace {

class MaxCsiVolumeCount final : public Predicate {
 public:
  MaxCsiVolumeCount(const View& view, std::vector<NewVolumes> drivers)
      : view_(view), drivers_(std::move(drivers)), nameless_(view.attach_limit(kErrorLimit).attached) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (meets_nameless(nodes[i]))
        out[i] = Verdict::of(Fit::kError, 0b10);
      else if (!fits(nodes[i]))
        out[i] = Verdict::of(Fit::kUnschedulable, 0b01);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  bool fits(NodeId node) const {
    return std::ranges::all_of(drivers_, [node](const NewVolumes& driver) {
      const std::int64_t limit = driver.limit(node);
      if (limit == AttachTable::kNoLimit) return true;
      const std::int64_t missing = driver.missing(node);
      return missing == 0 || driver.attached(node) + missing <= limit;
    });
  }
  /// Whether upstream meets a nameless claim: it reads the claims of a node's pods only if the
  /// node has any limit.
  bool meets_nameless(NodeId node) const { return nameless_[node] > 0 && view_.has_attach_limit(node); }

  const View& view_;
  const std::vector<NewVolumes> drivers_;
  const Column<std::int32_t> nameless_;
  const std::array<std::string, 2> reasons_{kTooManyVolumes, kNamelessClaimError};
};

}  // namespace

std::unique_ptr<const Predicate> max_csi_volume_count(const Request& request, const Arguments& arguments) {
  if (!limits_by_node(arguments)) return nullptr;
  const auto found = attachables(request);
  if (!found) return std::make_unique<ErrorEverywhere>(found.error());
  std::map<std::string_view, NewVolumes> by_limit;
  for (const AttachableName& one : *found)
    if (one.limit.starts_with(kCsiLimitPrefix))
      by_limit.try_emplace(one.limit, request.view, one.limit).first->second.add(one);
  if (by_limit.empty()) return nullptr;
  std::vector<NewVolumes> drivers;
  for (auto& [limit, volumes] : by_limit) drivers.push_back(std::move(volumes));
  return std::make_unique<MaxCsiVolumeCount>(request.view, std::move(drivers));
}

}  // namespace winnow::predicates
