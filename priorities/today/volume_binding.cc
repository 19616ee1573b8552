// VolumeBinding's score: how full the storage would be that serves the pod's claims, class by class, read off
// a line through the points of the shape; then the mean over the classes, rounded half away from zero.
// Volumes that claims are bound to here count if there are any: what is asked for against what they hold;
// else the capacities that drivers report. 30 Gi asked of a 100 Gi volume: 30 %, and by the default shape (10
// at 0 %, 0 at 100 %) 70. Upstream: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go,
// scorer.go v1.37.0.
#include <algorithm>
#include <cmath>

#include "cluster/rule/delayed_claims.h"
#include "cluster/rule/pod_claims.h"
#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority volume_binding;

namespace {

constexpr std::int64_t kFull = 100;

/// A class's storage on a node.
struct Use {
  std::string_view storage_class;
  std::int64_t requested = 0;
  std::int64_t capacity = 0;
};
using Uses = std::vector<Use>;

Use& use_of(Uses& uses, std::string_view storage_class) {
  const auto known = std::ranges::find(uses, storage_class, &Use::storage_class);
  return known == uses.end() ? uses.emplace_back(storage_class) : *known;
}

std::int64_t storage_of(const ResourceList& list) {
  const auto it = list.find("storage");
  return it == list.end() ? 0 : it->second.value();
}

void sum_up(const ServedBy& served, Uses& uses) {
  uses.clear();
  for (const ServedBy::Bound& one : served.bound) {
    Use& use = use_of(uses, one.volume->storage_class_name);
    use.requested = wrap_add(use.requested, storage_of(one.claim->requests));
    use.capacity = wrap_add(use.capacity, storage_of(one.volume->capacity));
  }
  if (!served.bound.empty()) return;
  for (const ServedBy::Made& one : served.made) {
    if (!one.from) continue;
    const std::optional<std::string>& name = one.claim->storage_class_name;
    Use& use = use_of(uses, name ? std::string_view(*name) : std::string_view());
    use.requested = wrap_add(use.requested, storage_of(one.claim->requests));
    use.capacity = one.from->capacity ? one.from->capacity->value() : 0;  // The class's, not a sum.
  }
}

class VolumeBinding final : public Priority {
 public:
  VolumeBinding(const View& view, const PodClaims& claims, UtilizationShape shape)
      : delayed_(view, claims.delayed, Generation::kToday), shape_(std::move(shape)) {
    for (UtilizationPoint& point : shape_) point.score *= kMaxNodeScore / kMaxClassicScore;
  }

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    if (delayed_.empty() || !delayed_.error().empty()) return;
    ServedBy served;
    Uses uses;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      served.bound.clear();
      served.made.clear();
      if (delayed_.are_promised_elsewhere(nodes[i])) continue;
      if (delayed_.serve(nodes[i], &served) != Served::kYes) continue;
      sum_up(served, uses);
      out[i] = score(uses);
    }
  }

 private:
  std::int64_t score(const Uses& uses) const {
    if (uses.empty()) return 0;
    std::int64_t sum = 0;
    for (const Use& use : uses) {
      const bool is_full = use.capacity == 0 || use.requested > use.capacity;
      sum +=
          score_at(shape_, is_full ? kFull : wrap_divide(wrap_multiply(use.requested, kFull), use.capacity));
    }
    return wrap_truncate(std::round(static_cast<double>(sum) / static_cast<double>(uses.size())));
  }

  const DelayedClaims delayed_;
  UtilizationShape shape_;
};

}  // namespace

BoundPriority volume_binding(const Request& request, const Arguments& arguments) {
  const auto claims = claims_of(request.view, request.pod, Generation::kToday);
  if (!claims || claims->delayed.empty()) return std::make_unique<Constant>(0);
  const auto* const given = std::get_if<VolumeBindingArgs>(&arguments);
  return std::make_unique<VolumeBinding>(request.view, *claims,
                                         given ? given->shape : VolumeBindingArgs().shape);
}

}  // namespace winnow::priorities::today
