// NoVolumeZoneConflict: the node's zone and region are among those in the labels of the pod's bound volumes.
// A node with neither label fits, whatever the claims are. The labels are the old beta ones. Where one is
// missing on a node or volume, today's label replaces it, but not with ExactV116.
// Upstream: predicates.go VolumeZoneChecker, cloud-provider volume/helpers/zones.go v1.16.15.
#include <format>

#include "cluster/text/go_quote.h"
#include "predicates/rules.h"
#include "predicates/zone_labels.h"

namespace winnow::predicates {

BindPredicate no_volume_zone_conflict;

namespace {

struct ZoneLabel {
  const char* old_key;
  const char* new_key;
};
constexpr std::array<ZoneLabel, 2> kLabels = {{
    {kBetaZone, kZone},
    {kBetaRegion, kRegion},
}};

/// A volume's zones by label (zone, region); nothing for a label that does not restrict nodes.
using Zones = std::array<std::optional<std::vector<Symbol>>, kLabels.size()>;

Zones zones_of(const View& view, const PersistentVolume& volume, bool exact) {
  const StringMap& labels = volume.metadata.labels;
  Zones zones;
  for (std::size_t i = 0; i < kLabels.size(); ++i) {
    auto label = labels.find(kLabels[i].old_key);
    if (label == labels.end() && !exact) label = labels.find(kLabels[i].new_key);
    if (label != labels.end()) zones[i] = zones_in(view, label->second);
  }
  return zones;
}

class NoVolumeZoneConflict final : public Predicate {
 public:
  NoVolumeZoneConflict(const Request& request, bool exact) : exact_(exact) {
    const View& view = request.view;
    for (const ZoneLabel& label : kLabels) {
      columns_.push_back(view.label(label.old_key));
      columns_.push_back(view.label(label.new_key));
    }
    for (const Volume& volume : request.pod.spec.volumes) {
      if (volume.source != VolumeSource::kPersistentVolumeClaim) continue;
      reasons_[1] = add_claim(view, request.pod.metadata.namespace_, volume.id);
      has_error_ = !reasons_[1].empty();
      if (has_error_) break;
    }
  }

  bool has_nothing_to_say() const { return volumes_.empty() && !has_error_; }

  void map(std::span<const NodeId> nodes, std::span<Verdict> out) const override {
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::array<Symbol, kLabels.size()> own = {value(0, nodes[i]), value(1, nodes[i])};
      if (own[0] == kNone && own[1] == kNone) continue;
      if (!std::ranges::all_of(volumes_, [&](const Zones& zones) { return match(zones, own); }))
        out[i] = Verdict::of(Fit::kUnresolvable, 0b01);
      else if (has_error_)
        out[i] = Verdict::of(Fit::kError, 0b10);
    }
  }
  std::span<const std::string> reasons() const override { return reasons_; }

 private:
  Symbol value(std::size_t label, NodeId node) const {
    const Symbol old_value = columns_[2 * label][node];
    return old_value != kNone || exact_ ? old_value : columns_[2 * label + 1][node];
  }
  static bool match(const Zones& zones, const std::array<Symbol, kLabels.size()>& own) {
    for (std::size_t i = 0; i < kLabels.size(); ++i)
      if (zones[i] && !std::ranges::contains(*zones[i], own[i])) return false;
    return true;
  }

  /// Adds the zones of a claim's volume. @return the error at which upstream stops, or "".
  std::string add_claim(const View& view, const std::string& ns, const std::string& name) {
    if (name.empty()) return "PersistentVolumeClaim had no name";
    const PersistentVolumeClaim* claim = view.volumes().claim(ns, name);
    if (!claim) return std::format("persistentvolumeclaim {} not found", go_quote(name));
    if (claim->volume_name.empty()) return unbound(view, *claim);
    const PersistentVolume* volume = view.volumes().volume(claim->volume_name);
    if (!volume) return std::format("persistentvolume {} not found", go_quote(claim->volume_name));
    const Zones zones = zones_of(view, *volume, exact_);
    if (zones[0] || zones[1]) volumes_.push_back(zones);
    return "";
  }
  /// The error for an unbound claim; "" if its class waits for the first consumer.
  static std::string unbound(const View& view, const PersistentVolumeClaim& claim) {
    const std::string_view name = class_of(claim);
    if (const StorageClass* storage_class = name.empty() ? nullptr : view.volumes().storage_class(name)) {
      if (!storage_class->volume_binding_mode)
        return std::format("VolumeBindingMode not set for StorageClass {}", go_quote(name));
      if (*storage_class->volume_binding_mode == "WaitForFirstConsumer") return "";
    }
    return std::format("PersistentVolumeClaim was not found: {}", go_quote(claim.metadata.name));
  }

  const bool exact_;
  std::vector<Column<Symbol>> columns_;  // Old and new label of the zone, then of the region.
  std::vector<Zones> volumes_;           // Up to the first claim with an error.
  bool has_error_ = false;
  std::array<std::string, 2> reasons_ = {kZoneConflict, ""};
};

}  // namespace

std::unique_ptr<const Predicate> no_volume_zone_conflict(const Request& request, const Arguments&) {
  const bool exact = request.view.state().options().exact_zones;
  auto rule = std::make_unique<NoVolumeZoneConflict>(request, exact);
  if (rule->has_nothing_to_say()) return nullptr;
  return rule;
}

}  // namespace winnow::predicates
