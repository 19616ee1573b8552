// What the in-tree kinds of volume are under the CSI drivers that have taken their place.
// Upstream: csi-translation-lib v0.37.0 translate.go, plugins/*.go.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/api/storage.h"

namespace winnow {

/// What a node's CSINode says, in one bit each.
enum CsiFlag : std::uint8_t {
  kHasCsiNode = 1 << 0,      ///< There is one.
  kHasAttachLimit = 1 << 1,  ///< A driver of it has a limit.
  kMigratesEbs = 1 << 2,     ///< Its annotation names the plugin as migrated; so on.
  kMigratesGcePd = 1 << 3,
  kMigratesAzureDisk = 1 << 4,
  kMigratesCinder = 1 << 5,
  kMigratesPortworx = 1 << 6,
};

/// A kind of in-tree volume that can be translated.
struct InTreePlugin {
  VolumeSource source;
  std::string_view name;    ///< As a class names it as its provisioner.
  std::string_view driver;  ///< The CSI driver.
  /// The label of the driver's zones; "": it has no use for them.
  std::string_view zone_key;
  /// In the annotation of a CSINode; 0: the scheduler never takes the kind for migrated.
  std::uint8_t flag;
};

/// Null where there is none.
const InTreePlugin* in_tree_plugin(VolumeSource source);
const InTreePlugin* in_tree_plugin(std::string_view name);

/// The flags of a CSINode; of none: 0.
std::uint8_t csi_flags(const CsiNode* csi_node);

/// The volume's handle under the driver, or upstream's error.
/// @param volume  of a kind with a flag.
std::expected<std::string, std::string> csi_handle(const Volume& volume);
std::expected<std::string, std::string> csi_handle(const PersistentVolume& volume);

/// The volume's node affinity, its zones under the driver's label.
/// @param volume  of a kind with a flag.
std::optional<NodeSelector> csi_affinity(const PersistentVolume& volume);

}  // namespace winnow
