// The nodes as columns (node i is at index i of every array), and an index of names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/fields/field_tree.h"
#include "cluster/state/attach_table.h"
#include "cluster/state/id_index.h"
#include "cluster/state/kept_numbers.h"
#include "cluster/state/label_column.h"
#include "cluster/state/node_columns.h"
#include "cluster/state/node_load.h"
#include "cluster/state/pool.h"
#include "cluster/state/row_changes.h"
#include "cluster/state/row_values.h"
#include "cluster/text/keyed_hash.h"

namespace winnow {

struct ContainerImage;
struct CsiNode;
struct Dictionaries;
struct Footprint;
struct Node;

/// The nodes of a state, or the few rows of an overlay. One part of a row comes from the Node object
/// (set_node). The other part is the sum of its pods' footprints (add, subtract). The columns of NodeColumns
/// are public for reading. Columns that only some nodes have a value in are kept beside them, one for each
/// label key, scalar resource, image and attach limit. Such a column takes memory by the nodes that have a
/// value, and ends with the last. Not synchronised; const access may be concurrent.
class NodeTable : public NodeColumns {
 public:
  /// @param names  the dictionaries that all ids are of; must outlive this.
  /// @param exact_zones  true: zones by the beta labels only, as v1.16 has it. False: where a beta label is
  ///   missing, its stable successor counts.
  /// @param facts  the numbers that rules ask for, each once. @param keeps_fields  whether expressions read
  /// nodes' fields. @param keeps_load  whether they read the load of nodes.
  NodeTable(Dictionaries& names, bool exact_zones, const std::vector<NodeFact>& facts = {},
            bool keeps_fields = false, bool keeps_load = false);
  /// A copy of the table. `names` must be a copy of the other's dictionaries.
  NodeTable(const NodeTable& other, Dictionaries& names);
  NodeTable(const NodeTable&) = delete;
  NodeTable& operator=(const NodeTable&) = delete;

  /// Adds a row for the node, without pods.
  /// @param arrived  its NodeColumns::arrival.
  NodeId add_row(const Node& node, std::uint64_t arrived);
  /// Adds a copy of a row of another table. This table's dictionaries must have the other's as their base.
  NodeId copy_row(const NodeTable& from, NodeId other);
  /// Replaces the values of the Node object. The sums of the pods stay. Columns that hold the same value are
  /// left alone, also those of a label or an image.
  /// @param arrived  a new arrival number; without it the old one stays.
  void set_node(NodeId id, const Node& node, std::optional<std::uint64_t> arrived = {});
  /// Whether set_node() would change nothing. So it is with most events of a Node: its kubelet has reported.
  /// May be false all the same where an image's name stands in the list twice.
  bool holds(NodeId id, const Node& node) const;
  /// The node as far as rules read a node: set_node(id, to_node(id)) changes no column. Capacity, other
  /// annotations and conditions that no rule reads are lost.
  /// @param id  a row that has a node.
  Node to_node(NodeId id) const;
  /// Frees the row, with or without pods on it.
  void remove_row(NodeId id);

  void add(NodeId id, const Footprint& footprint) { apply(id, footprint, +1); }
  void subtract(NodeId id, const Footprint& footprint) { apply(id, footprint, -1); }
  /// The same for the volumes of claims, which footprints do not have; see AttachTable::change.
  void attach(NodeId id, std::span<const std::uint32_t> volumes, std::int32_t by) {
    changes_.note(id);
    attached_.change(id, volumes, by);
  }
  /// The same for a VolumeAttachment.
  void attach_object(NodeId id, std::uint32_t volume, std::int32_t by) {
    changes_.note(id);
    attached_.change_objects(id, volume, by);
  }
  /// Sets the values of the node's CSINode; null: there is none. They stay when the Node is replaced.
  void set_csi_node(NodeId id, const CsiNode* csi_node) {
    changes_.note(id);
    attached_.set_csi_node(id, csi_node);
  }
  /// Sets what is measured of the node; null: nothing is. What is on its way stays. Ignored where loads are
  /// not kept, as change_coming() is.
  void set_metrics(NodeId id, const NodeMetrics* measured);
  /// Counts a pod that is on its way to the node (by = 1), or is not any more (by = -1).
  void change_coming(NodeId id, const Footprint& footprint, std::int32_t by);
  /// Notes that something of the row's pods has changed that no column has.
  void note_change(NodeId id) { changes_.note(id); }
  /// From now on changes() has the rows that change.
  void keep_changes() { changes_.begin(); }

  /// One past the largest id. Free rows count.
  NodeId capacity() const { return static_cast<NodeId>(name.size()); }
  bool has_free_rows() const { return !free_.empty(); }
  /// The rows that have changed, by their Node, their pods or their volumes.
  const RowChanges& changes() const { return changes_; }
  /// How often a Node has come, gone or been replaced.
  std::uint64_t node_changes() const { return node_changes_; }

  /// A scalar resource that a node offers, or that pods request.
  struct Scalar {
    RowValues<std::int64_t> allocatable;
    RowValues<std::int64_t> requested;
    std::uint32_t offers = 0;  ///< The number of nodes that offer it, perhaps 0 of it.
  };
  using ImageUse = std::vector<NodeId>;  ///< The nodes that have an image, the oldest first.

  /// The column of a label key; null: no node has the label.
  const LabelColumn* label_column(Symbol key) const;
  /// The scalar resources that a node offers, in no order.
  std::vector<Symbol> offered_resources() const;
  /// Null: no node offers the resource, and no pod on a node requests it.
  const Scalar* scalar(Symbol resource) const;
  const ImageUse* image(Symbol image_name) const;
  /// The size that the node reports of an image that it has.
  std::int64_t image_size(NodeId id, Symbol image_name) const;
  const AttachTable& attached() const { return attached_; }
  /// The numbers of a fact by row, not a number where the node has none; null: no rule has asked for it.
  const std::vector<double>* fact(const NodeFact& wanted) const;
  /// What expressions read of the node; empty where fields are not kept.
  const FieldTree& fields(NodeId id) const;
  /// What is measured of the node, and is on its way to it; empty where loads are not kept.
  const NodeLoad& load(NodeId id) const;
  bool keeps_load() const { return keeps_load_; }
  /// Numbers that depend on one row each, by what they are: see KeptNumbers.
  std::shared_ptr<NumbersByRow> numbers(std::string_view key) const {
    return kept_numbers_.find(key, changes_, capacity());
  }

 private:
  using ImageSizes = std::vector<std::pair<Symbol, std::int64_t>>;

  NodeId new_row();
  void put_node(NodeId id, const Node& node);
  /// Whether the columns beside NodeColumns hold what the node has.
  bool same_labels(NodeId id, const StringMap& wanted) const;
  bool same_offers(NodeId id, const Node& node) const;
  bool same_images(NodeId id, const std::vector<ContainerImage>& list) const;
  bool same_facts(NodeId id, const Node& node) const;
  bool same_fields(NodeId id, const Node& node) const;
  /// Replace what differs.
  void change_columns(NodeId id, const Node& node);
  void change_labels(NodeId id, const StringMap& wanted);
  void change_offers(NodeId id, const Node& node);
  void change_images(NodeId id, const std::vector<ContainerImage>& list);
  ImageSizes acquire_images(const std::vector<ContainerImage>& list);
  void put_facts(NodeId id, const Node& node);
  void put_fields(NodeId id, const Node& node);
  void put_offers(NodeId id, const Node& node);
  void put_images(NodeId id, const std::vector<ContainerImage>& list);
  void set_images(NodeId id, const ImageSizes& images);
  /// The place of a node in the list of nodes with an image.
  ImageUse::const_iterator find_image(const ImageUse& use, NodeId id) const;
  void offer(NodeId id, Symbol resource, std::int64_t amount);
  /// These fill the columns beside NodeColumns, and clear them.
  void index_labels(NodeId id);
  void index_label(NodeId id, Symbol key, Symbol value);
  void index_image(NodeId id, Symbol image_name);
  void forget_label(NodeId id, Symbol key);
  void forget_image(NodeId id, Symbol image_name);
  void forget_labels(NodeId id);
  void forget_images(NodeId id);
  void forget_offers(NodeId id);
  void forget_asks(NodeId id);
  void clear_node(NodeId id);
  void clear_pods(NodeId id);
  void apply(NodeId id, const Footprint& footprint, int sign);
  /// Adds to what the node's pods request of a scalar resource.
  void ask(NodeId id, Symbol resource, std::int64_t by);
  /// Sets a request of the row, and drops the columns that hold nothing any more.
  void set_requested(NodeId id, Symbol resource, std::int64_t amount);
  void drop_unused(Symbol resource);

  Dictionaries* names_;
  const bool exact_zones_;
  NodeId rows_ = 0;  ///< What the columns beside NodeColumns are prepared for; see RowValues.
  std::vector<NodeId> free_;
  std::unordered_map<Symbol, LabelColumn> label_columns_;
  std::unordered_map<Symbol, Scalar> scalars_;
  /// By row, the scalar resources that its pods request in sum. Each holds a reference.
  std::unordered_map<NodeId, std::set<Symbol>> asks_;
  std::unordered_map<Symbol, ImageUse> images_;
  std::vector<std::vector<std::int64_t>> image_sizes_;  ///< By row, in the order of image_names.
  AttachTable attached_;
  struct FactColumn {
    NodeFact fact;
    std::vector<double> values;
  };
  std::vector<FactColumn> facts_;
  const bool keeps_fields_;
  std::vector<std::shared_ptr<const FieldTree>> fields_;  ///< By row; empty where fields are not kept.
  const bool keeps_load_;
  std::vector<NodeLoad> loads_;  ///< By row; empty where loads are not kept.
  RowChanges changes_;
  mutable KeptNumbers kept_numbers_;
  std::uint64_t node_changes_ = 0;
};

// An index from node names to rows, for thousands of look-ups in a request.

/// The rows by the names in the table's name column. One writer at a time; find() may run concurrently with
/// itself.
class NodeIndex {
 public:
  explicit NodeIndex(const NodeTable& table) : table_(table) {}

  /// @return the row of the node, or kNone.
  NodeId find(std::string_view name) const {
    return rows_.find(TextHash{}(name), [&](NodeId id) { return table_.name[id] == name; });
  }

  /// The index must not have the row's name.
  void insert(NodeId id) {
    version_ = new_version();
    rows_.insert(TextHash{}(table_.name[id]), id);
  }
  /// The index must have the row, and the row must still have its name.
  void erase(NodeId id) {
    version_ = new_version();
    rows_.erase(TextHash{}(table_.name[id]), id);
  }
  std::size_t size() const { return rows_.size(); }
  /// Names the whole index: while it stays, each name keeps its row. Every insert() and erase() sets another
  /// one, which no index of the process has had before.
  std::uint64_t version() const { return version_; }

 private:
  static std::uint64_t new_version();

  const NodeTable& table_;
  IdIndex rows_;
  std::uint64_t version_ = new_version();
};

}  // namespace winnow
