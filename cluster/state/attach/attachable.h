// What counts against the limits on a node's attached volumes.
//
// A limit has the name of the resource that can set it on a node ("attachable-volumes-aws-ebs",
// "attachable-volumes-csi-DRIVER"). A claim comes to the volume that it is bound to; one that is unbound, or
// whose volume is gone, to one of its own, if its class says which kind. Today's generation counts the
// in-tree kinds under their CSI drivers, ephemeral volumes by the claims that are made for them, and what a
// VolumeAttachment says is there.
// Upstream, classic: predicates.go MaxPDVolumeCountChecker, csi_volume_predicate.go,
// pkg/volume/util/attach_limit.go, v1.16.15 with CSI migration off.
// Upstream, today's: pkg/scheduler/framework/plugins/nodevolumelimits/csi.go v1.37.0.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/api/storage.h"
#include "cluster/api/store.h"
#include "cluster/state/intern/dictionaries.h"

namespace winnow {

inline constexpr std::string_view kEbsLimit = "attachable-volumes-aws-ebs";
inline constexpr std::string_view kGcePdLimit = "attachable-volumes-gce-pd";
inline constexpr std::string_view kAzureDiskLimit = "attachable-volumes-azure-disk";
inline constexpr std::string_view kCinderLimit = "attachable-volumes-cinder";
/// No limit, but what upstream's checks stumble over: a claim that a pod names with an empty name; today's
/// other errors too, and then the id is the error.
inline constexpr std::string_view kNamelessClaim = "";
inline constexpr const char* kNamelessClaimError = "PersistentVolumeClaim had no name";
inline constexpr std::string_view kCsiLimitPrefix = "attachable-volumes-csi-";
/// The prefix and the driver; of a driver with a long name, the first 23 characters and a hash.
std::string csi_limit(std::string_view driver);

/// An Attachable by its names.
struct AttachableName {
  std::string limit;
  std::string id;
  std::string driver;     ///< Of a CSI volume; today's only.
  bool migrated = false;  ///< Today's: an in-tree volume, which counts only on a node with a CSINode.
  bool operator==(const AttachableName&) const = default;
};

/// The id of the volume, with a reference.
std::uint32_t acquire_attachable(Dictionaries& names, const AttachableName& volume);
/// The id of the limit, made if need be.
Symbol limit_id(Dictionaries& names, std::string_view limit);

/// What a pod's own volume counts as, if it does without a claim; a nameless claim too.
std::optional<AttachableName> inline_attachable(const Volume& volume, Generation generation);

/// The claim that a volume of a pod names, as Footprint::claims does: "namespace/name", and today for an
/// ephemeral volume, whose claim must be the pod's, the pod's name and uid on lines of their own behind it.
/// @return "" for a volume without a claim.
std::string claim_key(const Pod& pod, const Volume& volume, Generation generation);
/// "namespace/name" of such a key.
std::string_view claim_object(std::string_view key);
/// Upstream's error where the claim is not the pod's, or "".
/// Upstream: component-helpers v0.37.0 storage/ephemeral VolumeIsForPod.
std::string claim_error(const PersistentVolumeClaim& claim, std::string_view pod_name, std::string_view uid);
/// The name of the claim of an ephemeral volume.
std::string ephemeral_claim(const Pod& pod, const Volume& volume);

struct ClaimedStorage {
  const Store<PersistentVolume>& volumes;
  const Store<PersistentVolumeClaim>& claims;
  const Store<StorageClass>& classes;
};

/// What a claim comes to, and what that depends on besides the claim.
struct ClaimAttachables {
  std::vector<AttachableName> attachables;  ///< Two where annotation and spec name classes of two kinds.
  std::string volume;                       ///< "" where it did not matter.
  std::vector<std::string> classes;
};
/// @param claim  by claim_key(); one that is not there comes to nothing.
ClaimAttachables attachables_of(const ClaimedStorage& storage, const std::string& claim,
                                Generation generation);
/// What a VolumeAttachment says is on its node, whatever pods use. Today's.
std::optional<AttachableName> attachable_of(const Store<PersistentVolume>& volumes,
                                            const VolumeAttachment& attachment);

/// The class by the old beta annotation if that is there, even empty; else the spec's; "" for none.
/// Upstream: pkg/apis/core/v1/helper GetPersistentVolumeClaimClass, GetPersistentVolumeClass v1.16.15.
std::string_view class_of(const PersistentVolumeClaim& claim);
std::string_view class_of(const PersistentVolume& volume);

}  // namespace winnow
