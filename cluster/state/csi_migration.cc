#include "cluster/state/csi_migration.h"

#include <algorithm>
#include <format>
#include <ranges>
#include <set>
#include <vector>

#include "cluster/api/storage.h"
#include "cluster/text/characters.h"
#include "cluster/text/encoding.h"

namespace winnow {
namespace {

constexpr std::string_view kMigratedAnnotation = "storage.alpha.kubernetes.io/migrated-plugins";
constexpr std::string_view kBetaZone = "failure-domain.beta.kubernetes.io/zone";
constexpr std::string_view kBetaRegion = "failure-domain.beta.kubernetes.io/region";
constexpr std::string_view kZone = "topology.kubernetes.io/zone";
constexpr std::string_view kRegion = "topology.kubernetes.io/region";
constexpr std::string_view kSpaces = " \t\n\v\f\r";

constexpr InTreePlugin kPlugins[] = {
    {VolumeSource::kAwsElasticBlockStore, "kubernetes.io/aws-ebs", "ebs.csi.aws.com",
     "topology.ebs.csi.aws.com/zone", kMigratesEbs},
    {VolumeSource::kGcePersistentDisk, "kubernetes.io/gce-pd", "pd.csi.storage.gke.io",
     "topology.gke.io/zone", kMigratesGcePd},
    {VolumeSource::kAzureDisk, "kubernetes.io/azure-disk", "disk.csi.azure.com", "", kMigratesAzureDisk},
    {VolumeSource::kCinder, "kubernetes.io/cinder", "cinder.csi.openstack.org",
     "topology.cinder.csi.openstack.org/zone", kMigratesCinder},
    {VolumeSource::kPortworx, "kubernetes.io/portworx-volume", "pxd.portworx.com", "", kMigratesPortworx},
    {VolumeSource::kAzureFile, "kubernetes.io/azure-file", "file.csi.azure.com", "", 0},
    {VolumeSource::kVsphere, "kubernetes.io/vsphere-volume", "csi.vsphere.vmware.com", "", 0},
};

std::vector<std::string> split(std::string_view text, std::string_view by) {
  std::vector<std::string> parts;
  for (const auto part : std::views::split(text, by)) parts.emplace_back(part.begin(), part.end());
  if (parts.empty()) parts.emplace_back();
  return parts;
}

/// Makes "vol-1" of "aws://ZONE/vol-1"; other texts are unchanged.
std::expected<std::string, std::string> ebs_handle(const std::string& id) {
  constexpr std::string_view kScheme = "aws://";
  if (!id.starts_with(kScheme)) return id;
  std::string_view rest = std::string_view(id).substr(kScheme.size());
  rest = rest.substr(0, rest.find_first_of("?#"));
  const std::size_t path_at = std::min(rest.find('/'), rest.size());
  const std::string path = percent_decoded(rest.substr(path_at));
  const std::string_view volume = trim(path, "/");
  if (!volume.starts_with("vol-") || volume.contains('/'))
    return std::unexpected(std::format(
        "failed to translate Kubernetes ID to EBS Volume ID Invalid format for AWS volume ({})", id));
  return std::string(volume);
}

std::expected<std::string, std::string> azure_handle(const Volume& volume) {
  const auto is_managed = [](std::string_view kind) {
    return std::ranges::equal(kind, std::string_view("managed"),
                              [](char a, char b) { return (a | 0x20) == b; });
  };
  if (volume.kind && !is_managed(*volume.kind))
    return std::unexpected(std::format("kind({}) is not supported in csi migration", *volume.kind));
  return volume.uri;
}

std::string gce_handle(std::string_view scope, std::string_view place, std::string_view disk) {
  return std::format("projects/UNSPECIFIED/{}/{}/disks/{}", scope, place, disk);
}

std::expected<std::string, std::string> gce_region(const std::vector<std::string>& zones) {
  std::set<std::string> regions;
  for (const std::string& zone : zones) {
    const std::vector<std::string> parts = split(zone, "-");
    if (parts.size() != 3)
      return std::unexpected(
          std::format("failed to get region from zones: zone in unexpected format, expected: "
                      "{{locale}}-{{region}}-{{zone}}, "
                      "got: {}",
                      zone));
    regions.insert(parts[0] + '-' + parts[1]);
  }
  if (regions.size() == 1) return *regions.begin();
  std::string all;
  for (const std::string& region : regions) all.append(all.empty() ? "" : " ").append(region).append(":{}");
  return std::unexpected(std::format(
      "failed to get region from zones: multiple or no regions gotten from zones, got: map[{}]", all));
}

/// A handle by the zone labels of the volume: one zone, several zones of one region, or none.
std::expected<std::string, std::string> gce_handle(const PersistentVolume& volume) {
  const StringMap& labels = volume.metadata.labels;
  const auto value = [&](std::string_view key) {
    const auto label = labels.find(key);
    return label == labels.end() ? std::string() : label->second;
  };
  const std::string beta = value(kBetaZone);
  const std::vector<std::string> zones = split(beta.empty() ? value(kZone) : beta, "__");
  if (zones.size() == 1)
    return gce_handle("zones", zones[0].empty() ? "UNSPECIFIED" : zones[0], volume.source.id);
  const auto region = gce_region(zones);
  if (!region) return std::unexpected(region.error());
  return gce_handle("regions", *region, volume.source.id);
}

// ---- node affinity ----

bool names_key(const std::optional<NodeSelector>& affinity, std::string_view key) {
  return affinity && std::ranges::any_of(affinity->terms, [&](const NodeSelectorTerm& term) {
           return std::ranges::contains(term.match_expressions, key, &SelectorRequirement::key);
         });
}

bool names_value(const std::optional<NodeSelector>& affinity, std::string_view key) {
  return affinity && std::ranges::any_of(affinity->terms, [&](const NodeSelectorTerm& term) {
           return std::ranges::any_of(term.match_expressions, [&](const SelectorRequirement& one) {
             return one.key == key && !one.values.empty();
           });
         });
}

void replace_key(NodeSelector& affinity, std::string_view key, std::string_view by) {
  for (NodeSelectorTerm& term : affinity.terms)
    for (SelectorRequirement& one : term.match_expressions)
      if (one.key == key) one.key = by;
}

/// Adds the zones to every term, or to a new term if there is none.
void add_zones(std::optional<NodeSelector>& affinity, std::string_view key, std::string_view zones) {
  std::set<std::string> names;
  for (const std::string& zone : split(zones, "__"))
    if (const std::string_view name = trim(zone, kSpaces); !name.empty()) names.emplace(name);
  if (names.empty()) return;
  if (!affinity) affinity.emplace();
  if (affinity->terms.empty()) affinity->terms.emplace_back();
  for (NodeSelectorTerm& term : affinity->terms)
    term.match_expressions.push_back({std::string(key), "In", {names.begin(), names.end()}});
}

/// Whether the volume names its zone by the beta labels. Its affinity takes precedence over its labels.
bool is_beta(const PersistentVolume& volume) {
  if (names_key(volume.node_affinity, kZone)) return false;
  if (names_key(volume.node_affinity, kBetaZone)) return true;
  return !volume.metadata.labels.contains(kZone) && volume.metadata.labels.contains(kBetaZone);
}

}  // namespace

const InTreePlugin* in_tree_plugin(VolumeSource source) {
  const auto plugin = std::ranges::find(kPlugins, source, &InTreePlugin::source);
  return plugin == std::end(kPlugins) ? nullptr : &*plugin;
}

const InTreePlugin* in_tree_plugin(std::string_view name) {
  const auto plugin = std::ranges::find(kPlugins, name, &InTreePlugin::name);
  return plugin == std::end(kPlugins) ? nullptr : &*plugin;
}

std::uint8_t csi_flags(const CsiNode* csi_node) {
  if (!csi_node) return 0;
  unsigned flags = kHasCsiNode;
  if (std::ranges::any_of(csi_node->drivers,
                          [](const CsiNodeDriver& driver) { return driver.allocatable_count.has_value(); }))
    flags |= kHasAttachLimit;
  const auto annotation = csi_node->metadata.annotations.find(kMigratedAnnotation);
  if (annotation != csi_node->metadata.annotations.end())
    for (const std::string& name : split(annotation->second, ","))
      if (const InTreePlugin* plugin = in_tree_plugin(name)) flags |= plugin->flag;
  return static_cast<std::uint8_t>(flags);
}

std::expected<std::string, std::string> csi_handle(const Volume& volume) {
  switch (volume.source) {
    case VolumeSource::kAwsElasticBlockStore:
      return ebs_handle(volume.id);
    case VolumeSource::kGcePersistentDisk:
      return gce_handle("zones", "UNSPECIFIED", volume.id);
    case VolumeSource::kAzureDisk:
      return azure_handle(volume);
    default:
      return volume.id;
  }
}

std::expected<std::string, std::string> csi_handle(const PersistentVolume& volume) {
  return volume.source.source == VolumeSource::kGcePersistentDisk ? gce_handle(volume)
                                                                  : csi_handle(volume.source);
}

std::optional<NodeSelector> csi_affinity(const PersistentVolume& volume) {
  std::optional<NodeSelector> affinity = volume.node_affinity;
  const std::string_view key = in_tree_plugin(volume.source.source)->zone_key;
  if (key.empty()) return affinity;
  const bool beta = is_beta(volume);
  const std::string_view zone = beta ? kBetaZone : kZone;
  if (names_value(affinity, zone)) {
    replace_key(*affinity, zone, key);
  } else if (const auto label = volume.metadata.labels.find(zone); label != volume.metadata.labels.end()) {
    add_zones(affinity, key, label->second);
  }
  if (beta && names_value(affinity, kBetaRegion)) replace_key(*affinity, kBetaRegion, kRegion);
  return affinity;
}

}  // namespace winnow
