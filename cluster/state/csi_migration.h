// The translation of in-tree volumes to the CSI drivers that replace them.
// Upstream: csi-translation-lib v0.37.0 translate.go, plugins/*.go.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <string>
#include <string_view>

#include "cluster/api/pod.h"

namespace winnow {

struct CsiNode;
struct PersistentVolume;

/// Properties of a node's CSINode, one bit each.
enum CsiFlag : std::uint8_t {
  kHasCsiNode = 1 << 0,      ///< There is a CSINode.
  kHasAttachLimit = 1 << 1,  ///< One of its drivers has a limit.
  kMigratesEbs = 1 << 2,     ///< Its annotation names the plugin as migrated. The next bits are alike.
  kMigratesGcePd = 1 << 3,
  kMigratesAzureDisk = 1 << 4,
  kMigratesCinder = 1 << 5,
  kMigratesPortworx = 1 << 6,
};

/// A kind of in-tree volume that can be translated.
struct InTreePlugin {
  VolumeSource source;
  std::string_view name;    ///< The name in a class's provisioner.
  std::string_view driver;  ///< The CSI driver.
  /// The driver's label for zones; "" if it uses none.
  std::string_view zone_key;
  /// The kind's bit in csi_flags(); 0: the scheduler never treats the kind as migrated.
  std::uint8_t flag;
};

/// The plugin of a volume source, or of a provisioner's name; null: none.
const InTreePlugin* in_tree_plugin(VolumeSource source);
const InTreePlugin* in_tree_plugin(std::string_view name);

/// The flags of a CSINode; 0 without one.
std::uint8_t csi_flags(const CsiNode* csi_node);

/// The volume's handle under its CSI driver, or upstream's error text.
/// @param volume  of a kind with a flag.
std::expected<std::string, std::string> csi_handle(const Volume& volume);
std::expected<std::string, std::string> csi_handle(const PersistentVolume& volume);

/// The volume's node affinity, with its zones under the driver's label.
/// @param volume  of a kind with a flag.
std::optional<NodeSelector> csi_affinity(const PersistentVolume& volume);

}  // namespace winnow
