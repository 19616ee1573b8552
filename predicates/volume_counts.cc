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
  MaxVolumeCount(const View& view, NewVolumes volumes, bool by_node,
                 std::function<std::int64_t(NodeId)> default_limit)
      : volumes_(std::move(volumes)),
        nameless_(view.attach_limit(kErrorLimit).attached),
        by_node_(by_node),
        from_environment_(limit_from_environment()),
        default_limit_(std::move(default_limit)) {}

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeId node = nodes[i];
      if (nameless_[node] > 0)
        out[i] = Verdict::of(Fit::kError, 0b10);
      else if (volumes_.attached(node) + volumes_.missing(node) > limit(node))
        out[i] = Verdict::of(Fit::kUnschedulable, 0b01);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  std::int64_t limit(NodeId node) const {
    const std::int64_t offered = by_node_ ? volumes_.offered(node) : AttachTable::kNoLimit;
    if (offered != AttachTable::kNoLimit) return offered;
    return from_environment_ ? *from_environment_ : default_limit_(node);
  }

  const NewVolumes volumes_;
  const Column<std::int32_t> nameless_;
  const bool by_node_;
  const std::optional<std::int64_t> from_environment_;
  const std::function<std::int64_t(NodeId)> default_limit_;
  const std::array<std::string, 2> reasons_{kTooManyVolumes, kNamelessClaimError};
};

}  // namespace

std::expected<std::vector<AttachableName>, std::string> attachables(const Request& request) {
  std::vector<AttachableName> found;
  const auto add = [&](AttachableName&& volume) {
    if (!std::ranges::contains(found, volume)) found.push_back(std::move(volume));
  };
  for (const Volume& volume : request.pod.spec.volumes) {
    if (auto own = inline_attachable(volume, Generation::kClassic)) {
      if (own->limit == kErrorLimit) return std::unexpected(kNamelessClaimError);
      add(std::move(*own));
    } else if (volume.source == VolumeSource::kPersistentVolumeClaim) {
      const std::string claim = request.pod.metadata.namespace_ + '/' + volume.id;
      for (AttachableName& one : request.view.volumes().attachables(claim)) add(std::move(one));
    }
  }
  return found;
}

void NewVolumes::add(const AttachableName& volume) {
  ++count_;
  if (const std::uint32_t id = view_.attachable(volume); id != kNone) known_.push_back(id);
}

std::int64_t NewVolumes::missing(NodeId node) const {
  std::int64_t missing = count_;
  if (known_.empty()) return missing;
  const std::vector<AttachTable::Use>& uses = view_.attached(node);
  for (const std::uint32_t volume : known_) {
    // A volume that only a VolumeAttachment puts on the node is still missing: no pod uses it there.
    const auto use = std::ranges::lower_bound(uses, volume, {}, &AttachTable::Use::volume);
    if (use != uses.end() && use->volume == volume && use->pods > 0) --missing;
  }
  return missing;
}

bool limits_by_node(const Arguments& arguments) {
  const auto* const given = std::get_if<AttachLimits>(&arguments);
  return !given || given->by_node;
}

std::unique_ptr<const Predicate> max_volume_count(const Request& request, const Arguments& arguments,
                                                  std::string_view limit,
                                                  std::function<std::int64_t(NodeId)> default_limit) {
  const auto found = attachables(request);
  if (!found) return std::make_unique<ErrorEverywhere>(found.error());
  NewVolumes volumes(request.view, limit);
  for (const AttachableName& one : *found)
    if (one.limit == limit) volumes.add(one);
  if (volumes.empty()) return nullptr;
  return std::make_unique<MaxVolumeCount>(request.view, std::move(volumes), limits_by_node(arguments),
                                          std::move(default_limit));
}

}  // namespace winnow::predicates
