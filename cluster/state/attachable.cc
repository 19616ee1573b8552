#include "cluster/state/attachable.h"

#include <openssl/sha.h>

#include <array>
#include <format>

namespace winnow {
namespace {

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";
constexpr std::size_t kMaxResourceName = 63;

/// The in-tree kinds that have a CSI driver to migrate to: none counts as a CSI volume while migration is
/// off. Those with a limit have a rule of their own.
struct InTree {
  VolumeSource source;
  std::string_view provisioner;
  std::string_view limit;
};
constexpr InTree kInTree[] = {
    {VolumeSource::kAwsElasticBlockStore, "kubernetes.io/aws-ebs", kEbsLimit},
    {VolumeSource::kGcePersistentDisk, "kubernetes.io/gce-pd", kGcePdLimit},
    {VolumeSource::kAzureDisk, "kubernetes.io/azure-disk", kAzureDiskLimit},
    {VolumeSource::kCinder, "kubernetes.io/cinder", kCinderLimit},
    {VolumeSource::kOther, "kubernetes.io/azure-file", ""},
};

std::optional<AttachableName> in_tree(const Volume& volume) {
  const auto kind = std::ranges::find(kInTree, volume.source, &InTree::source);
  if (kind == std::end(kInTree) || kind->limit.empty()) return std::nullopt;
  return AttachableName{std::string(kind->limit), volume.id};
}

std::optional<AttachableName> csi(std::string_view driver, std::string_view handle) {
  if (driver.empty() || handle.empty()) return std::nullopt;
  return AttachableName{csi_limit(driver), std::format("{}/{}", driver, handle)};
}

std::string_view class_by(const ObjectMeta& meta, std::string_view otherwise) {
  const auto annotation = meta.annotations.find(kClassAnnotation);
  return annotation == meta.annotations.end() ? otherwise : std::string_view(annotation->second);
}

/// A claim without a volume, by its class: the in-tree rules ask the spec's alone, the CSI rule also the
/// annotation.
void add_by_class(const ClaimedStorage& storage, const PersistentVolumeClaim& claim, const std::string& key,
                  ClaimAttachables& result) {
  const std::string own = std::string(1, '\0') + key;  // No real volume is named so.
  const auto provisioner = [&](std::string_view name) -> std::string_view {
    result.classes.emplace_back(name);
    const auto it = storage.classes.find(name);
    return it == storage.classes.end() ? std::string_view() : std::string_view(it->second.provisioner);
  };
  if (claim.storage_class_name) {
    const auto kind =
        std::ranges::find(kInTree, provisioner(*claim.storage_class_name), &InTree::provisioner);
    if (kind != std::end(kInTree) && !kind->limit.empty())
      result.attachables.push_back({std::string(kind->limit), own});
  }
  if (const std::string_view name = class_of(claim); !name.empty()) {
    const std::string_view driver = provisioner(name);
    if (std::ranges::contains(kInTree, driver, &InTree::provisioner)) return;
    if (auto volume = csi(driver, own)) result.attachables.push_back(std::move(*volume));
  }
}

}  // namespace

std::string csi_limit(std::string_view driver) {
  std::string limit(kCsiLimitPrefix);
  if (kCsiLimitPrefix.size() + driver.size() < kMaxResourceName) return limit.append(driver);
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest;
  SHA1(reinterpret_cast<const unsigned char*>(driver.data()), driver.size(), digest.data());
  limit.append(driver.substr(0, 23));
  for (std::size_t i = 0; i < 8; ++i) limit += std::format("{:02x}", digest[i]);
  return limit;
}

Symbol limit_id(Dictionaries& names, std::string_view limit) {
  const Symbol known = names.limits.find(limit);
  return known != kNone ? known : names.limits.acquire(limit);
}

std::uint32_t acquire_attachable(Dictionaries& names, const AttachableName& volume) {
  return names.attachables.acquire(Attachable{limit_id(names, volume.limit), volume.id});
}

std::optional<AttachableName> inline_attachable(const Volume& volume) {
  if (volume.source == VolumeSource::kPersistentVolumeClaim && volume.id.empty())
    return AttachableName{std::string(kNamelessClaim), ""};
  return in_tree(volume);
}

ClaimAttachables attachables_of(const ClaimedStorage& storage, const std::string& claim, Generation) {
  ClaimAttachables result;
  const auto found = storage.claims.find(claim);
  if (found == storage.claims.end()) return result;
  result.volume = found->second.volume_name;
  const auto volume = result.volume.empty() ? storage.volumes.end() : storage.volumes.find(result.volume);
  if (volume == storage.volumes.end()) {
    add_by_class(storage, found->second, claim, result);
    return result;
  }
  const PersistentVolume& bound = volume->second;
  auto attachable = bound.source.source == VolumeSource::kCsi ? csi(bound.source.id, bound.csi_volume_handle)
                                                              : in_tree(bound.source);
  if (attachable) result.attachables.push_back(std::move(*attachable));
  return result;
}

std::string_view class_of(const PersistentVolumeClaim& claim) {
  return class_by(claim.metadata, claim.storage_class_name ? std::string_view(*claim.storage_class_name)
                                                           : std::string_view());
}
std::string_view class_of(const PersistentVolume& volume) {
  return class_by(volume.metadata, volume.storage_class_name);
}

}  // namespace winnow
