#include "cluster/state/attachable.h"

#include <openssl/sha.h>

#include <array>
#include <format>

#include "cluster/api/generation.h"
#include "cluster/state/csi_migration.h"
#include "cluster/state/dictionaries.h"

namespace winnow {
namespace {

constexpr std::string_view kClassAnnotation = "volume.beta.kubernetes.io/storage-class";
constexpr std::size_t kMaxResourceName = 63;

/// The in-tree kinds with a CSI driver to migrate to. While migration is off, none counts as a CSI volume.
/// Those with a limit have a rule of their own.
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
    {VolumeSource::kAzureFile, "kubernetes.io/azure-file", ""},
};

std::optional<AttachableName> csi(std::string_view driver, std::string_view handle) {
  if (driver.empty() || handle.empty()) return std::nullopt;
  return AttachableName{csi_limit(driver), std::format("{}/{}", driver, handle), "", false};
}

std::string_view class_by(const ObjectMeta& meta, std::string_view otherwise) {
  const auto annotation = meta.annotations.find(kClassAnnotation);
  return annotation == meta.annotations.end() ? otherwise : std::string_view(annotation->second);
}

/// The id of a claim without a volume. No real volume has such a name.
std::string own_id(std::string_view claim) { return std::string(1, '\0').append(claim); }

/// The provisioner of a class, on which the claim then depends; "" if there is no such class.
std::string_view provisioner(const ClaimedStorage& storage, std::string_view name, ClaimAttachables& result) {
  result.classes.emplace_back(name);
  const auto it = storage.classes.find(name);
  return it == storage.classes.end() ? std::string_view() : std::string_view(it->second.provisioner);
}

/// The in-tree volume of a claim without a volume, by its class. Only the class in the spec counts.
void add_in_tree_by_class(const ClaimedStorage& storage, const PersistentVolumeClaim& claim,
                          std::string_view key, ClaimAttachables& result) {
  if (!claim.storage_class_name) return;
  const auto kind = std::ranges::find(kInTree, provisioner(storage, *claim.storage_class_name, result),
                                      &InTree::provisioner);
  if (kind != std::end(kInTree) && !kind->limit.empty())
    result.attachables.push_back({std::string(kind->limit), own_id(key), "", false});
}

/// The volumes of a claim without a volume, by its class. The CSI rule reads the class in the annotation,
/// too.
void add_by_class(const ClaimedStorage& storage, const PersistentVolumeClaim& claim, const std::string& key,
                  ClaimAttachables& result) {
  add_in_tree_by_class(storage, claim, key, result);
  if (const std::string_view name = class_of(claim); !name.empty()) {
    const std::string_view driver = provisioner(storage, name, result);
    if (std::ranges::contains(kInTree, driver, &InTree::provisioner)) return;
    if (auto volume = csi(driver, own_id(key))) result.attachables.push_back(std::move(*volume));
  }
}

// ---- today's ----

std::optional<AttachableName> today(std::string_view driver, std::string_view handle, bool migrated) {
  auto volume = csi(driver, handle);
  if (!volume) return std::nullopt;
  volume->driver = driver;
  volume->migrated = migrated;
  return volume;
}

AttachableName error(std::string text) { return {std::string(kErrorLimit), std::move(text), "", false}; }

/// Upstream counts an inline volume even without a handle, so this does not use today().
std::optional<AttachableName> inline_today(const Volume& volume) {
  const InTreePlugin* plugin = in_tree_plugin(volume.source);
  if (!plugin || !plugin->flag) return std::nullopt;
  const auto handle = csi_handle(volume);
  if (!handle) {
    AttachableName broken =
        error(std::format("converting volume({}) from inline to csi: {}", volume.name, handle.error()));
    broken.migrated = true;
    return broken;
  }
  return AttachableName{csi_limit(plugin->driver), std::format("{}/{}", plugin->driver, *handle),
                        std::string(plugin->driver), true};
}

std::optional<AttachableName> today(const PersistentVolume& volume) {
  if (volume.source.source == VolumeSource::kCsi)
    return today(volume.source.id, volume.csi_volume_handle, false);
  const InTreePlugin* plugin = in_tree_plugin(volume.source.source);
  if (!plugin || !plugin->flag) return std::nullopt;
  const auto handle = csi_handle(volume);
  return handle ? today(plugin->driver, *handle, true) : std::nullopt;
}

/// The volume of a claim without a volume, or whose volume is gone.
std::optional<AttachableName> today(const StorageClass& made_by, std::string_view claim) {
  const std::string own = own_id(claim);
  const InTreePlugin* plugin = in_tree_plugin(made_by.provisioner);
  if (!plugin) return today(made_by.provisioner, own, false);
  return plugin->flag ? today(plugin->driver, own, true) : std::nullopt;
}

std::optional<AttachableName> today_by_class(const ClaimedStorage& storage,
                                             const PersistentVolumeClaim& claim, std::string_view object,
                                             ClaimAttachables& result) {
  const std::string_view name = class_of(claim);
  if (name.empty()) return std::nullopt;
  result.classes.emplace_back(name);
  const auto made_by = storage.classes.find(name);
  return made_by == storage.classes.end() ? std::nullopt : today(made_by->second, object);
}

ClaimAttachables attachables_today(const ClaimedStorage& storage, std::string_view key) {
  ClaimAttachables result;
  const std::string_view object = claim_object(key);
  const auto found = storage.claims.find(object);
  if (found == storage.claims.end()) return result;
  const PersistentVolumeClaim& claim = found->second;
  if (key.size() > object.size()) {
    const std::string_view owner = key.substr(object.size() + 1);
    const std::size_t line = owner.find('\n');
    std::string wrong = claim_error(claim, owner.substr(0, line), owner.substr(line + 1));
    if (!wrong.empty()) {
      result.attachables.push_back(error(std::move(wrong)));
      return result;
    }
  }
  result.volume = claim.volume_name;
  std::optional<AttachableName> attachable;
  const auto volume = result.volume.empty() ? storage.volumes.end() : storage.volumes.find(result.volume);
  const bool counts_in_tree = key == object;  // The plugins of in-tree limits know no ephemeral volumes.
  if (volume != storage.volumes.end()) {
    attachable = today(volume->second);
    if (auto own = in_tree_attachable(volume->second.source); own && counts_in_tree)
      result.attachables.push_back(std::move(*own));
  } else {
    if (counts_in_tree) add_in_tree_by_class(storage, claim, object, result);
    attachable = today_by_class(storage, claim, object, result);
  }
  if (attachable) result.attachables.push_back(std::move(*attachable));
  return result;
}

}  // namespace

std::optional<AttachableName> in_tree_attachable(const Volume& volume) {
  const auto kind = std::ranges::find(kInTree, volume.source, &InTree::source);
  if (kind == std::end(kInTree) || kind->limit.empty()) return std::nullopt;
  return AttachableName{std::string(kind->limit), volume.id, "", false};
}

std::string csi_limit(std::string_view driver) {
  std::string limit(kCsiLimitPrefix);
  if (kCsiLimitPrefix.size() + driver.size() < kMaxResourceName) return limit.append(driver);
  std::array<unsigned char, SHA_DIGEST_LENGTH> digest;
  SHA1(reinterpret_cast<const unsigned char*>(driver.data()), driver.size(), digest.data());
  limit.append(driver.substr(0, 23));
  for (std::size_t i = 0; i < 8; ++i) limit += std::format("{:02x}", digest[i]);
  return limit;
}

std::uint32_t acquire_attachable(Dictionaries& names, const AttachableName& volume) {
  const Symbol limit = names.limits.acquire(volume.limit);
  const std::size_t known = names.attachables.size();
  const std::uint32_t id = names.attachables.acquire(Attachable{limit, volume.id});
  if (names.attachables.size() == known) names.limits.release(limit);  // The volume holds one already.
  return id;
}

void release_attachable(Dictionaries& names, std::uint32_t volume) {
  const Symbol limit = names.attachables[volume].limit;
  if (names.attachables.release(volume)) names.limits.release(limit);
}

std::optional<AttachableName> inline_attachable(const Volume& volume, Generation generation) {
  if (volume.source == VolumeSource::kPersistentVolumeClaim && volume.id.empty())
    return error(kNamelessClaimError);
  return generation == Generation::kToday ? inline_today(volume) : in_tree_attachable(volume);
}

std::string ephemeral_claim(const Pod& pod, const Volume& volume) {
  return pod.metadata.name + '-' + volume.name;
}

std::string claim_key(const Pod& pod, const Volume& volume, Generation generation) {
  const ObjectMeta& meta = pod.metadata;
  if (volume.source == VolumeSource::kPersistentVolumeClaim) return meta.namespace_ + '/' + volume.id;
  if (volume.source != VolumeSource::kEphemeral || generation == Generation::kClassic) return {};
  return std::format("{}/{}\n{}\n{}", meta.namespace_, ephemeral_claim(pod, volume), meta.name, meta.uid);
}

std::string_view claim_object(std::string_view key) { return key.substr(0, key.find('\n')); }

std::string claim_error(const PersistentVolumeClaim& claim, std::string_view pod_name, std::string_view uid) {
  for (const OwnerReference& owner : claim.metadata.owner_references) {
    if (!owner.controller) continue;
    if (owner.uid == uid) return {};
    break;
  }
  const ObjectMeta& meta = claim.metadata;
  return std::format("PVC {0}/{1} was not created for pod {0}/{2} (pod is not owner)", meta.namespace_,
                     meta.name, pod_name);
}

std::optional<AttachableName> attachable_of(const Store<PersistentVolume>& volumes,
                                            const VolumeAttachment& attachment) {
  if (attachment.attacher.empty()) return std::nullopt;
  const auto volume = volumes.find(attachment.persistent_volume_name);
  if (volume == volumes.end() || volume->second.source.source != VolumeSource::kCsi) return std::nullopt;
  return AttachableName{csi_limit(attachment.attacher),
                        std::format("{}/{}", attachment.attacher, volume->second.csi_volume_handle),
                        attachment.attacher, false};
}

ClaimAttachables attachables_of(const ClaimedStorage& storage, const std::string& claim,
                                Generation generation) {
  if (generation == Generation::kToday) return attachables_today(storage, claim);
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
                                                              : in_tree_attachable(bound.source);
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
