// VolumeZone: the node's zone and region are among those in the labels of the pod's bound volumes. A node
// without any such label, beta or new, fits. A volume's beta label is compared with the node's beta label, or
// with its new one if that is missing. A volume's new label is compared with the node's new label only.
// Upstream: pkg/scheduler/framework/plugins/volumezone/volume_zone.go v1.37.0.
#include <algorithm>
#include <expected>
#include <format>

#include "cluster/text/go_quote.h"
#include "predicates/rules.h"
#include "predicates/zone_labels.h"

namespace winnow::predicates::today {

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
