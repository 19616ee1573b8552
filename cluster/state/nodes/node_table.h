// The nodes as columns: what is known of node i stands at index i of every array.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cluster/state/attach/attach_table.h"
#include "cluster/state/nodes/label_column.h"
#include "cluster/state/nodes/node_columns.h"

namespace winnow {

/// The columns of the nodes of a state, or of the few rows of an overlay. One half of a row comes from the
/// Node object (set_node), the other is the sum of its pods' footprints (add, subtract). The columns of
/// NodeColumns are for reading outside of this class. Those that only some nodes have a value in stand beside
/// them: one for each label key, scalar resource, image and attach limit.
/// Not synchronised; const access may be concurrent.
class NodeTable : public NodeColumns {
 public:
  /// @param exact_zones  zones by the old beta labels only, as v1.16; otherwise today's label where the
  ///   old one is missing, label by label.
  NodeTable(Dictionaries& names, bool exact_zones)
      : names_(&names), exact_zones_(exact_zones), attached_(names) {}
  /// A copy, row by row, that stands on a copy of the other's dictionaries.
  NodeTable(const NodeTable& other, Dictionaries& names);
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  /// A new row for the node, no pods on it. @param arrived  NodeColumns::arrival.
  NodeId add_row(const Node& node, std::uint64_t arrived);
  /// A new row that is a copy of a row of another table on whose dictionaries this one's stand.
  NodeId copy_row(const NodeTable& from, NodeId other);
  /// Replaces what the Node object says; the sum of the pods stays. @param arrived  anew; otherwise the
  /// number of its arrival stays.
  void set_node(NodeId id, const Node& node, std::optional<std::uint64_t> arrived = {});
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

  /// A scalar resource that some node offers or some pod asks for.
  struct Scalar {
    std::vector<std::int64_t> allocatable;
    std::vector<std::int64_t> requested;
  };
  struct ImageOnNode {
    std::uint64_t arrival = 0;  ///< The node's: the oldest reporter's size is taken, as upstream does.
    NodeId node = kNone;
    std::int64_t size = 0;
    auto operator<=>(const ImageOnNode&) const = default;
  };
  using ImageUse = std::vector<ImageOnNode>;  ///< Oldest node first.

  /// The column of a label key, or null: no node has the label.
  const LabelColumn* label_column(Symbol key) const;
  const Scalar* scalar(Symbol resource) const;
  const ImageUse* image(Symbol image_name) const;
  const AttachTable& attached() const { return attached_; }

 private:
  NodeId new_row();
  void put_node(NodeId id, const Node& node);
  void put_allocatable(NodeId id, const ResourceList& list);
  void put_images(NodeId id, const std::vector<ContainerImage>& list);
  /// Into the columns beside NodeColumns, and out of them.
  void index_labels(NodeId id);
  void index_image(NodeId id, Symbol image_name, std::int64_t size);
  void forget_labels(NodeId id);
  void forget_images(NodeId id);
  void clear_node(NodeId id);
  void clear_pods(NodeId id);
  /// The row in every column of that source as it began.
  void clear_columns(NodeId id, ColumnSource source);
  void apply(NodeId id, const Footprint& footprint, int sign);
  Scalar& scalar_column(Symbol resource);

  Dictionaries* names_;
  const bool exact_zones_;
  std::vector<NodeId> free_;
  std::unordered_map<Symbol, LabelColumn> label_columns_;
  std::unordered_map<Symbol, Scalar> scalars_;  ///< Keys hold a reference for ever: they are few.
  std::unordered_map<Symbol, ImageUse> images_;
  AttachTable attached_;
};

/// v1.16's zone of a node, "REGION:\0:ZONE", "" where neither label is there.
/// Upstream: pkg/util/node/node.go GetZoneKey v1.16.15.
std::string zone_key(const StringMap& labels, bool exact);

}  // namespace winnow
