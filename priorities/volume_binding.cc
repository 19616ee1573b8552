// VolumeBinding as a score: how much the pod's claims would use of the storage that serves them on the node.
// Each storage class has a percentage, requested to capacity, and its score is read off a line through the
// points of the shape. The node's score is the mean over the classes, rounded half away from zero. If claims
// can take free volumes of the node, only these volumes count; otherwise the capacities that drivers report
// do. Example: 30 Gi requested of a 100 Gi volume are 30 %. The default shape (10 at 0 %, 0 at 100 %),
// scaled to 100, gives 70.
// Upstream: pkg/scheduler/framework/plugins/volumebinding/volume_binding.go, scorer.go v1.37.0.
#include <algorithm>
#include <cmath>
#include <format>

#include "cluster/go_math.h"
#include "cluster/rule/args_schema.h"
#include "cluster/rule/budget.h"
#include "cluster/rule/claims.h"
#include "priorities/records.h"
#include "priorities/rules.h"

namespace winnow::priorities::today {

BindPriority volume_binding;

namespace {

constexpr std::int64_t kFull = 100;

/// A storage class on one node, in bytes.
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
    use.capacity = one.from->capacity ? one.from->capacity->value() : 0;  // Claims share it: no sum.
  }
}

class VolumeBinding final : public Priority {
 public:
  VolumeBinding(const Request& request, const PodClaims& claims, UtilizationShape shape)
      : budget_(request.budget),
        delayed_(request.view, claims.delayed, Generation::kToday),
        shape_(std::move(shape)) {
    for (UtilizationPoint& point : shape_) point.score *= kMaxNodeScore / kMaxClassicScore;
  }

  void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const override {
    if (delayed_.empty() || !delayed_.error().empty()) return;
    ServedBy served;
    Uses uses;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (budget_) budget_->check();
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

  const Budget* const budget_;
  const DelayedClaims delayed_;
  UtilizationShape shape_;
};

}  // namespace

BoundPriority volume_binding(const Request& request, const Arguments& arguments) {
  const auto claims = claims_of(request.view, request.pod, Generation::kToday);
  if (!claims || claims->delayed.empty()) return std::make_unique<Constant>(0);
  const auto* const given = arguments.get_if<VolumeBindingArgs>();
  return std::make_unique<VolumeBinding>(request, *claims, given ? given->shape : VolumeBindingArgs().shape);
}

}  // namespace winnow::priorities::today

namespace winnow::priorities {

// Its arguments. The filter reads none of them.

namespace {

using namespace fields;

constexpr Field kVolumeBindingFields[] = {
    kKind, kApiVersion, {"bindTimeoutSeconds", &kInt64}, {"shape", &kUtilizationShape}};
constexpr FieldType kVolumeBindingType = object(kVolumeBindingFields);

FieldResult check_timeout(const Reader& r, std::string_view path) {
  std::int64_t timeout = 0;
  r.read("bindTimeoutSeconds", timeout);
  if (timeout >= 0) return {};
  return invalid(child(path, "bindTimeoutSeconds"), timeout,
                 "invalid BindTimeoutSeconds, should not be a negative value");
}

PluginArgs read_volume_binding(const WrittenArgs& written) {
  const Reader& r = written.object;
  VolumeBindingArgs args;
  UtilizationShape shape;
  r.read("shape", shape);
  args.shape = shape.empty() ? UtilizationShape{{0, 10}, {100, 0}} : std::move(shape);
  FieldResult sound = check_timeout(r, written.path);
  if (sound) sound = check_shape(args.shape, child(written.path, "shape"));
  return {std::move(args), std::move(sound)};
}

/// Up to v1.28 the shape was for the gate VolumeCapacityPriority, which was off by default.
PluginArgs read_without_shape(const WrittenArgs& written) {
  FieldResult sound = check_timeout(written.object, written.path);
  if (sound && written.object.has("shape"))
    sound =
        std::unexpected(std::format("{}: unexpected field `shape`, remove it", child(written.path, "shape")));
  return {VolumeBindingArgs(), std::move(sound)};
}

constexpr ArgsSchema kVolumeBindingArgs{kVolumeBindingType, read_volume_binding};
constexpr ArgsSchema kVolumeBindingArgsWithoutShape{kVolumeBindingType, read_without_shape};

}  // namespace

// The records.

namespace {

constexpr Record kVolumeBindingRecords[] = {
    {.name = "VolumeBinding",
     .origin = RuleOrigin::kToday,
     .bind = today::volume_binding,
     .needs = needs::kBinding,
     .may_skip = false,
     .without_pre_filter = "not found",
     .scores_its_filters = true,
     .scores_nothing_before_1_37 = true,
     .releases =
         {{.release = Release::k1_22, .points = points::kScore, .args = &kVolumeBindingArgsWithoutShape},
          {.release = Release::k1_37, .points = points::kPreScoreAndScore, .args = &kVolumeBindingArgs}}},
};

}  // namespace

Records volume_binding_records;

std::span<const Record> volume_binding_records() { return kVolumeBindingRecords; }

}  // namespace winnow::priorities
