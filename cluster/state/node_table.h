// The nodes as columns: what is known of node i stands at index i of every array.
#pragma once

#include <array>
#include <memory>
#include <unordered_map>

#include "cluster/state/attach_table.h"
#include "cluster/state/footprint.h"
#include "cluster/state/label_column.h"

namespace winnow {

/// What a node says of itself in one bit each.
enum NodeFlag : std::uint16_t {
  kUnschedulable = 1 << 0,   ///< spec.unschedulable
  kMemoryPressure = 1 << 1,  ///< the last MemoryPressure condition is True
  kDiskPressure = 1 << 2,
  kPidPressure = 1 << 3,
};

/// Conditions that speak against a node, each as often as it stands in the list. They are kept behind the
/// flags: two bits each, in the list's order, the first kMaxBadConditions of them.
enum BadCondition : std::uint16_t {
  kNotReady = 1,            ///< Ready, and not True
  kNetworkUnavailable = 2,  ///< NetworkUnavailable, and not False
};
inline constexpr unsigned kMaxBadConditions = 4;
/// The one at a place, or 0.
constexpr unsigned bad_condition(std::uint16_t flags, unsigned place) {
  return flags >> (8 + 2 * place) & 3u;
}

/// The columns of the nodes of a state, or of the few rows of an overlay. One half of a row comes from the
/// Node object (set_node), the other is the sum of its pods' footprints (add, subtract).
/// Not synchronised; const access may be concurrent.
class NodeTable {
 public:
  /// @param exact_zones  zones by the old beta labels only, as v1.16; otherwise today's label where the
  ///   old one is missing, label by label.
  NodeTable(Dictionaries& names, bool exact_zones)
      : names_(&names), exact_zones_(exact_zones), attached_(names) {}
  /// A copy, row by row, that stands on a copy of the other's dictionaries.
  NodeTable(const NodeTable& other, Dictionaries& names);
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  /// A new row for the node, no pods on it. @param age  orders nodes by age; see ImageUse.
  NodeId add_row(const Node& node, std::uint64_t age);
  /// A new row that is a copy of a row of another table on whose dictionaries this one's stand.
  NodeId copy_row(const NodeTable& from, NodeId other);
  /// Replaces what the Node object says; the sum of the pods stays. @param age  a new one, or the old one
  /// stays.
  void set_node(NodeId id, const Node& node, std::optional<std::uint64_t> age = {});
  /// Frees the row, whatever its pods had added.
  void remove_row(NodeId id);

  void add(NodeId id, const Footprint& footprint) { apply(id, footprint, +1); }
  void subtract(NodeId id, const Footprint& footprint) { apply(id, footprint, -1); }
  /// The same for what claims come to, which footprints leave out; see AttachTable::change.
  void attach(NodeId id, std::span<const std::uint32_t> volumes, std::int32_t by) {
    attached_.change(id, volumes, by);
  }
  /// The same for a VolumeAttachment.
  void attach_object(NodeId id, std::uint32_t volume, std::int32_t by) {
    attached_.change_objects(id, volume, by);
  }
  /// What the node's CSINode says, or null; it stays when the Node is replaced.
  void set_csi_node(NodeId id, const CsiNode* csi_node) { attached_.set_csi_node(id, csi_node); }

  /// Rows, free ones included: one past the largest id.
  NodeId capacity() const { return static_cast<NodeId>(name.size()); }

  struct PortUse {
    HostPort port;
    std::uint32_t pods = 0;  ///< How many pods hold it.
    auto operator<=>(const PortUse&) const = default;
  };
  struct DiskUse {
    std::uint32_t disk = kNone;
    std::uint32_t pods = 0;
    auto operator<=>(const DiskUse&) const = default;
  };
  /// A scalar resource that some node offers or some pod asks for.
  struct Scalar {
    std::vector<std::int64_t> allocatable;
    std::vector<std::int64_t> requested;
  };
  struct ImageOnNode {
    std::uint64_t since = 0;  ///< The age of the node: the oldest reporter's size is taken, as upstream does.
    NodeId node = kNone;
    std::int64_t size = 0;
    auto operator<=>(const ImageOnNode&) const = default;
  };
  using ImageUse = std::vector<ImageOnNode>;  ///< Oldest node first.

  // Read-only outside of this class. Amounts: cpu in thousandths, the rest in whole units.
  std::vector<std::string> name;  ///< "" for a free row.
  std::vector<std::uint64_t> since;
  std::vector<std::uint16_t> flags;
  std::vector<std::uint8_t> features;  ///< Of DeclaredFeature: those that the node declares.
  std::vector<std::int64_t> allocatable_cpu, allocatable_memory, allocatable_ephemeral, allocatable_pods;
  std::vector<std::int64_t> requested_cpu, requested_memory, requested_ephemeral, pods;  ///< Of running pods.
  std::vector<std::int64_t> nonzero_cpu, nonzero_memory;
  std::vector<std::uint32_t> taints;  ///< Ids in Dictionaries::taints.
  std::vector<std::uint32_t> avoids;  ///< Ids in Dictionaries::avoids; kNone without the annotation.
  std::vector<std::uint32_t> zone;    ///< Ids in Dictionaries::zones; kNone for a node in no zone.
  std::vector<LabelSet> labels;
  std::vector<std::vector<PortUse>> ports;  ///< Sorted.
  std::vector<std::vector<DiskUse>> disks;  ///< Sorted.

  /// The column of a label key, or null: no node has the label.
  const LabelColumn* label_column(Symbol key) const;
  const Scalar* scalar(Symbol resource) const;
  const ImageUse* image(Symbol image_name) const;
  const AttachTable& attached() const { return attached_; }

 private:
  NodeId new_row();
  void put_node(NodeId id, const Node& node);
  void put_allocatable(NodeId id, const ResourceList& list);
  void put_labels(NodeId id, const LabelSet& set);
  void put_images(NodeId id, const std::vector<ContainerImage>& list);
  void put_image(NodeId id, Symbol image_name, std::int64_t size);
  void clear_node(NodeId id);
  void clear_pods(NodeId id);
  void apply(NodeId id, const Footprint& footprint, int sign);
  Scalar& scalar_column(Symbol resource);

  Dictionaries* names_;
  const bool exact_zones_;
  std::vector<NodeId> free_;
  std::vector<std::vector<Symbol>> image_names_;  ///< Each holds a reference.
  std::unordered_map<Symbol, LabelColumn> label_columns_;
  std::unordered_map<Symbol, Scalar> scalars_;  ///< Keys hold a reference for ever: they are few.
  std::unordered_map<Symbol, ImageUse> images_;
  AttachTable attached_;
};

/// v1.16's zone of a node, "REGION:\0:ZONE", "" where neither label is there.
/// Upstream: pkg/util/node/node.go GetZoneKey v1.16.15.
std::string zone_key(const StringMap& labels, bool exact);

}  // namespace winnow
