#include "predicates/volume_counts.h"

#include <algorithm>
#include <cstdlib>

#include "cluster/rule/arguments.h"

namespace winnow::predicates {
namespace {

std::optional<std::int64_t> limit_from_environment() {
  const char* text = std::getenv("KUBE_MAX_PD_VOLS");
  const std::optional<std::int64_t> number = text ? parse_int64(text) : std::nullopt;
  return number && *number > 0 ? number : std::nullopt;
}

/// A pod on the node with a nameless claim makes upstream's count of the node's volumes fail.
class MaxVolumeCount final : public Predicate {
 public:
  MaxVolumeCount(const View& view, NewVolumes volumes, InTreeLimit limit)
      : view_(view),
        volumes_(std::move(volumes)),
        csi_(view.csi()),
        broken_(view.attach_limit(kErrorLimit).attached),
        nameless_(view.attachable({std::string(kErrorLimit), kNamelessClaimError, "", false})),
        limit_(std::move(limit)),
        from_environment_(limit_from_environment()) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeId node = nodes[i];
      if (limit_.migrated != 0 && (csi_[node] & limit_.migrated) != 0) continue;
      if (broken_[node] > 0 && has_nameless(node))
        out[i] = Verdict::of(Fit::kError, 0b10);
      else if (volumes_.attached(node) + volumes_.missing(node) > limit(node))
        out[i] = Verdict::of(Fit::kUnschedulable, 0b01);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  std::int64_t limit(NodeId node) const {
    const std::int64_t offered = limit_.by_node ? volumes_.offered(node) : AttachTable::kNoLimit;
    if (offered != AttachTable::kNoLimit) return offered;
    return from_environment_ ? *from_environment_ : limit_.default_limit(node);
  }

  /// Today's generation counts other errors under kErrorLimit, too.
  bool has_nameless(NodeId node) const {
    return nameless_ != kNone &&
           std::ranges::contains(view_.attached(node), nameless_, &AttachTable::Use::volume);
  }

  const View& view_;
  const NewVolumes volumes_;
  const Column<std::uint8_t> csi_;
  const Column<std::int32_t> broken_;
  const std::uint32_t nameless_;
  const InTreeLimit limit_;
  const std::optional<std::int64_t> from_environment_;
  const std::array<std::string, 2> reasons_{kTooManyVolumes, kNamelessClaimError};
};

}  // namespace

std::expected<std::vector<AttachableName>, std::string> attachables(const Request& request) {
  AttachableNames found;
  for (const Volume& volume : request.pod.spec.volumes) {
    if (auto own = inline_attachable(volume, Generation::kClassic)) {
      if (own->limit == kErrorLimit) return std::unexpected(kNamelessClaimError);
      found.add(std::move(*own));
    } else if (volume.source == VolumeSource::kPersistentVolumeClaim) {
      const std::string claim = request.pod.metadata.namespace_ + '/' + volume.id;
      for (AttachableName& one : request.view.volumes().attachables(claim)) found.add(std::move(one));
    }
  }
  return found.take();
}

void AttachableNames::add(AttachableName volume) {
  if (seen_.insert(volume).second) names_.push_back(std::move(volume));
}

void NewVolumes::add(const AttachableName& volume) {
  ++count_;
  const std::uint32_t id = view_.attachable(volume);
  if (id != kNone) ++known_[id];
}

std::int64_t NewVolumes::missing(NodeId node) const {
  std::int64_t missing = count_;
  if (known_.empty()) return missing;
  // A volume that only a VolumeAttachment puts on the node is still missing: no pod uses it there.
  for (const AttachTable::Use& use : view_.attached(node))
    if (const auto known = known_.find(use.volume); known != known_.end() && use.pods > 0)
      missing -= known->second;
  return missing;
}

bool limits_by_node(const Arguments& arguments) {
  const auto* const given = std::get_if<AttachLimits>(&arguments);
  return !given || given->by_node;
}

std::unique_ptr<const Predicate> max_volume_count(const Request& request, InTreeLimit limit) {
  const auto found = attachables(request);
  if (!found) return std::make_unique<ErrorEverywhere>(found.error());
  NewVolumes volumes(request.view, limit.limit);
  for (const AttachableName& one : *found)
    if (one.limit == limit.limit) volumes.add(one);
  if (volumes.empty()) return nullptr;
  return std::make_unique<MaxVolumeCount>(request.view, std::move(volumes), std::move(limit));
}

}  // namespace winnow::predicates
