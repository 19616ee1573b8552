// Attachables: the volumes that count against a node's attach limits.
//
// A limit has the name of the resource that sets it on a node ("attachable-volumes-aws-ebs",
// "attachable-volumes-csi-DRIVER"). A claim counts as the volume that it is bound to. If it is unbound, or
// its volume is gone, it counts as a volume of its own, if its class names a kind. Today's generation
// differs in three points. In-tree kinds count under their CSI drivers, too. An ephemeral volume counts by
// the claim that is made for it. A volume that a VolumeAttachment names counts on its node. Upstream,
// classic: predicates.go MaxPDVolumeCountChecker, csi_volume_predicate.go, pkg/volume/util/attach_limit.go,
// v1.16.15 with CSI migration off. Upstream, today's: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go
// v1.37.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/meta.h"
#include "cluster/api/storage.h"

namespace winnow {

enum class Generation : std::uint8_t;
struct Dictionaries;

inline constexpr std::string_view kEbsLimit = "attachable-volumes-aws-ebs";
inline constexpr std::string_view kGcePdLimit = "attachable-volumes-gce-pd";
inline constexpr std::string_view kAzureDiskLimit = "attachable-volumes-azure-disk";
inline constexpr std::string_view kCinderLimit = "attachable-volumes-cinder";
/// The limit of what makes upstream's check fail, for one a claim with an empty name. The id is the error's
/// text.
inline constexpr std::string_view kErrorLimit = "";
inline constexpr const char* kNamelessClaimError = "PersistentVolumeClaim had no name";
inline constexpr std::string_view kCsiLimitPrefix = "attachable-volumes-csi-";
/// The prefix and the driver's name. A name that makes a resource name too long is cut to 23 characters and a
/// hash.
std::string csi_limit(std::string_view driver);

/// An Attachable with its names in full.
struct AttachableName {
  std::string limit;
  std::string id;
  std::string driver;     ///< The CSI driver; today's generation only.
  bool migrated = false;  ///< Today: an in-tree volume. It counts only on a node with a CSINode.
  bool operator==(const AttachableName&) const = default;
};

/// The id of the volume, with a reference for the caller, to be given back by release_attachable(). As long
/// as the volume has an id, it holds a reference to its limit.
std::uint32_t acquire_attachable(Dictionaries& names, const AttachableName& volume);
void release_attachable(Dictionaries& names, std::uint32_t volume);

/// The attachable of a pod's volume without a claim; nothing if it does not count. A claim without a name
/// gives an error.
std::optional<AttachableName> inline_attachable(const Volume& volume, Generation generation);

/// The volume under the limit of its in-tree kind; nothing for other kinds. Today's generation counts it so
/// beside inline_attachable(): for the plugins of these limits, which kube-scheduler no longer has.
std::optional<AttachableName> in_tree_attachable(const Volume& volume);

/// The key of the claim that a pod's volume uses, as in Footprint::claims: "namespace/name". For an ephemeral
/// volume (today only) the pod's name and UID follow, each on a line, because the claim must be that pod's.
/// @return "" for a volume without a claim.
std::string claim_key(const Pod& pod, const Volume& volume, Generation generation);
/// The "namespace/name" part of a claim_key().
std::string_view claim_object(std::string_view key);
/// Upstream's error text if the claim is not the pod's, or "".
/// Upstream: component-helpers v0.37.0 storage/ephemeral VolumeIsForPod.
std::string claim_error(const PersistentVolumeClaim& claim, std::string_view pod_name, std::string_view uid);
/// The name of the claim that is made for an ephemeral volume.
std::string ephemeral_claim(const Pod& pod, const Volume& volume);

/// The stores that decide what a claim attaches.
struct ClaimedStorage {
  const Store<PersistentVolume>& volumes;
  const Store<PersistentVolumeClaim>& claims;
  const Store<StorageClass>& classes;
};

/// The volumes that a claim attaches, and the other objects that this depends on.
struct ClaimAttachables {
  /// Several if annotation and spec name classes of different kinds, and today of an in-tree kind.
  std::vector<AttachableName> attachables;
  std::string volume;  ///< "" if no volume mattered.
  std::vector<std::string> classes;
};
/// @param claim  a claim_key(); one without an object attaches nothing.
ClaimAttachables attachables_of(const ClaimedStorage& storage, const std::string& claim,
                                Generation generation);
/// The volume that a VolumeAttachment puts on its node, whether a pod uses it or not. Today's generation
/// only.
std::optional<AttachableName> attachable_of(const Store<PersistentVolume>& volumes,
                                            const VolumeAttachment& attachment);

/// The class in the beta annotation if there is one, even if empty; else the class in the spec; "" for none.
/// Upstream: pkg/apis/core/v1/helper GetPersistentVolumeClaimClass, GetPersistentVolumeClass v1.16.15.
std::string_view class_of(const PersistentVolumeClaim& claim);
std::string_view class_of(const PersistentVolume& volume);

}  // namespace winnow
