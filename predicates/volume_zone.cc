#include "predicates/volume_zone.h"

#include <algorithm>
#include <expected>
#include <format>
#include <ranges>

#include "cluster/state/attachable.h"
#include "cluster/state/state.h"
#include "cluster/state/view.h"
#include "cluster/text/go_format.h"
#include "predicates/records.h"
#include "predicates/rules.h"

namespace winnow::predicates {

std::vector<std::string> zone_names(std::string_view value) {
  std::vector<std::string> zones;
  for (const auto part : std::views::split(value, std::string_view("__"))) {
    std::string_view zone(part.begin(), part.end());
    // Upstream trims the spaces around each zone, and rejects the whole value if a zone is empty.
    constexpr std::string_view kSpaces = " \t\n\v\f\r";
    zone.remove_prefix(std::min(zone.find_first_not_of(kSpaces), zone.size()));
    zone = zone.substr(0, zone.find_last_not_of(kSpaces) + 1);
    if (zone.empty()) return {};
    zones.emplace_back(zone);
  }
  return zones;
}

std::optional<std::vector<Symbol>> zones_in(const View& view, std::string_view value) {
  const std::vector<std::string> names = zone_names(value);
  if (names.empty()) return std::nullopt;
  std::vector<Symbol> zones;
  for (const std::string& name : names)
    if (const Symbol symbol = view.symbol(name); symbol != kNone) zones.push_back(symbol);
  return zones;
}

// NoVolumeZoneConflict: the node's zone and region are among those in the labels of the pod's bound volumes.
// A node with neither label fits, whatever the claims are. The labels are the old beta ones. Where one is
// missing on a node or volume, today's label replaces it, but not with ExactV116.
// Upstream: predicates.go VolumeZoneChecker, cloud-provider volume/helpers/zones.go v1.16.15.

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
  if (!has_volumes(request.pod.spec, {})) return nullptr;
  const bool exact = request.view.state().options().exact_zones;
  auto rule = std::make_unique<NoVolumeZoneConflict>(request, exact);
  if (rule->has_nothing_to_say()) return nullptr;
  return rule;
}

}  // namespace winnow::predicates

namespace winnow::predicates::today {

// VolumeZone: the node's zone and region are among those in the labels of the pod's bound volumes. A node
// without any such label, beta or new, fits. A volume's beta label is compared with the node's beta label, or
// with its new one if that is missing. A volume's new label is compared with the node's new label only.
// Upstream: pkg/scheduler/framework/plugins/volumezone/volume_zone.go v1.37.0.

BindPredicate volume_zone;

namespace {

constexpr std::array<const char*, 4> kLabels = {kBetaZone, kBetaRegion, kZone, kRegion};

/// The zones or regions in one label of one volume.
struct Asked {
  std::size_t label;  ///< An index of kLabels.
  std::vector<Symbol> values;
};

class VolumeZone final : public OneReason<VolumeZone> {
 public:
  VolumeZone(const View& view, std::vector<Asked> asked)
      : OneReason(Fit::kUnresolvable, kZoneConflict),
        columns_{view.label(kLabels[0]), view.label(kLabels[1]), view.label(kLabels[2]),
                 view.label(kLabels[3])},
        asked_(std::move(asked)) {}

  bool fits(NodeId node) const {
    if (std::ranges::all_of(columns_, [node](const auto& column) { return column[node] == kNone; }))
      return true;
    return std::ranges::all_of(asked_, [&](const Asked& one) {
      Symbol value = columns_[one.label][node];
      if (value == kNone && one.label < 2) value = columns_[one.label + 2][node];
      return value != kNone && std::ranges::contains(one.values, value);
    });
  }

 private:
  const std::array<Column<Symbol>, 4> columns_;
  const std::vector<Asked> asked_;
};

using Volume = const PersistentVolume*;

/// The claim's volume; null for a claim that waits for its first consumer. @return or why the pod is refused.
std::expected<Volume, std::string> volume_of(const View& view, const std::string& ns,
                                             const std::string& name) {
  if (name.empty()) return std::unexpected("PersistentVolumeClaim had no name");
  const PersistentVolumeClaim* claim = view.volumes().claim(ns, name);
  if (!claim) return std::unexpected(std::format("persistentvolumeclaim {} not found", go_quote(name)));
  if (!claim->volume_name.empty()) {
    const PersistentVolume* volume = view.volumes().volume(claim->volume_name);
    if (volume) return volume;
    return std::unexpected(std::format("persistentvolume {} not found", go_quote(claim->volume_name)));
  }
  const std::string_view class_name = class_of(*claim);
  if (class_name.empty())
    return std::unexpected("PersistentVolumeClaim had no pv name and storageClass name");
  const StorageClass* made_by = view.volumes().storage_class(class_name);
  if (!made_by)
    return std::unexpected(std::format("storageclass.storage.k8s.io {} not found", go_quote(class_name)));
  if (!made_by->volume_binding_mode)
    return std::unexpected(
        std::format("VolumeBindingMode not set for StorageClass {}", go_quote(class_name)));
  if (*made_by->volume_binding_mode == "WaitForFirstConsumer") return nullptr;
  return std::unexpected("PersistentVolume had no name");
}

void add(std::vector<Asked>& asked, const View& view, const PersistentVolume& volume) {
  const StringMap& labels = volume.metadata.labels;
  for (std::size_t i = 0; i < kLabels.size(); ++i)
    if (const auto label = labels.find(kLabels[i]); label != labels.end())
      if (auto zones = zones_in(view, label->second)) asked.push_back({i, std::move(*zones)});
}

}  // namespace

std::unique_ptr<const Predicate> volume_zone(const Request& request, const Arguments&) {
  std::vector<Asked> asked;
  for (const winnow::Volume& mounted : request.pod.spec.volumes) {
    if (mounted.source != VolumeSource::kPersistentVolumeClaim) continue;
    const auto volume = volume_of(request.view, request.pod.metadata.namespace_, mounted.id);
    if (!volume) return std::make_unique<RefusesPod>(Fit::kUnresolvable, volume.error());
    if (*volume) add(asked, request.view, **volume);
  }
  if (asked.empty()) return nullptr;
  return std::make_unique<VolumeZone>(request.view, std::move(asked));
}

}  // namespace winnow::predicates::today

namespace winnow::predicates {

// The records.

namespace {

constexpr Record kVolumeZoneRecords[] = {
    {.name = "NoVolumeZoneConflict",
     .origin = RuleOrigin::kClassic,
     .bind = no_volume_zone_conflict,
     .needs = needs::kVolumes,
     .follows_by = kNever,
     .causes = causes_of_zone_conflicts,
     .by_default = AtGates::kAllGates},
    {.name = "VolumeZone",
     .origin = RuleOrigin::kToday,
     .bind = today::volume_zone,
     .needs = needs::kVolumes,
     .follows_by = kNever,
     .causes = causes_of_volume_zone,
     .checks = "zones of volumes",
     .classic = {.predicate = "NoVolumeZoneConflict"},
     .releases = {{.release = Release::k1_18, .points = points::kFilter},
                  {.release = Release::k1_27, .points = points::kPreFilterAndFilter}}},
};

}  // namespace

Records volume_zone_records;

std::span<const Record> volume_zone_records() { return kVolumeZoneRecords; }

}  // namespace winnow::predicates
