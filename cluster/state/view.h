// How rules see the cluster.
#pragma once

#include "cluster/state/overlay.h"

namespace winnow {

/// A number of every node, read by NodeId: the state's column, and behind it the overlay's.
template <class T>
class Column {
 public:
  Column(const std::vector<T>* base, const std::vector<T>* extra, NodeId split, T missing)
      : base_(base ? base->data() : nullptr),
        extra_(extra ? extra->data() : nullptr),
        split_(split),
        missing_(missing) {}

  T operator[](NodeId id) const {
    if (id < split_) return base_ ? base_[id] : missing_;
    return extra_ ? extra_[id - split_] : missing_;
  }
  /// Nobody has it: every entry is `missing`.
  bool empty() const { return !base_ && !extra_; }

 private:
  const T* base_;
  const T* extra_;
  NodeId split_;
  T missing_;
};

/// A scalar resource on every node; 0 where a node has none.
struct ScalarColumns {
  Column<std::int64_t> allocatable;
  Column<std::int64_t> requested;
};

/// How many volumes each node may have attached under one limit, and how many it has.
struct AttachColumns {
  Column<std::int64_t> offered;    ///< By the Node; AttachTable::kNoLimit where it says nothing.
  Column<std::int64_t> by_driver;  ///< By the CSINode; kNoLimit too.
  Column<std::int32_t> attached;
};

/// An image in the cluster.
struct ImageSpread {
  std::int64_t size = 0;      ///< Bytes, as the oldest node that has it reports.
  std::vector<NodeId> nodes;  ///< The nodes that have it.
};

/// The state with an overlay on top, or alone. Nodes are named by ids that hold for this view only: a node
/// that the overlay changes has an id of its own, behind the state's. Const, and safe to share between
/// threads, as long as state and overlay do not change.
class View {
 public:
  explicit View(const State& state, const Overlay* overlay = nullptr)
      : state_(state), overlay_(overlay), split_(state.nodes().capacity()) {}

  /// @return the node's id in this view, or kNone.
  NodeId find_node(std::string_view name) const;
  std::string_view node_name(NodeId id) const {
    return id < split_ ? state_.nodes().name[id] : overlay_->table_.name[id - split_];
  }
  /// Whether an id below capacity() still means its node here: not one that the overlay has changed.
  bool is_current(NodeId id) const { return id >= split_ || !overlay_ || !overlay_->hidden_[id]; }
  std::size_t node_count() const;
  /// One past the largest id; not every id below it names a node.
  NodeId capacity() const { return split_ + (overlay_ ? overlay_->table_.capacity() : 0); }
  /// Every node, in no order that means anything.
  std::vector<NodeId> all_nodes() const;

  template <class T>
  Column<T> column(std::vector<T> NodeTable::* member) const {
    return {&(state_.nodes().*member), overlay_ ? &(overlay_->table_.*member) : nullptr, split_, T()};
  }
  const std::vector<NodeTable::PortUse>& ports(NodeId id) const { return table(id).ports[row(id)]; }
  const std::vector<NodeTable::DiskUse>& disks(NodeId id) const { return table(id).disks[row(id)]; }

  const std::vector<AttachTable::Use>& attached(NodeId id) const {
    return table(id).attached().uses(row(id));
  }

  /// The value symbols of a label key; kNone where a node lacks the label.
  Column<Symbol> label(std::string_view key) const;
  ScalarColumns scalar(std::string_view resource) const;
  ImageSpread image(std::string_view name) const;
  AttachColumns attach_limit(std::string_view limit) const;
  /// The id of a volume in names().attachables, or kNone: no node has it.
  std::uint32_t attachable(const AttachableName& volume) const;

  const Dictionaries& names() const { return overlay_ ? overlay_->names_ : state_.names(); }
  /// The symbol of a text, or kNone: nothing in this view has that text.
  Symbol symbol(std::string_view text) const { return names().symbols.find(text); }
  std::string_view text(Symbol symbol) const { return names().symbols[symbol]; }

  /// By node id: the pods of the namespace that match the selector, those being deleted left out. A request
  /// never goes through the pods of the cluster for it; see PodGroups::count.
  std::vector<std::int32_t> count_pods(const std::string& ns, const Selector& selector) const;

  const Workloads& workloads() const { return state_.workloads; }
  const Volumes& volumes() const { return state_.volumes; }
  const Objects& objects() const { return state_.objects; }
  const State& state() const { return state_; }

 private:
  const NodeTable& table(NodeId id) const { return id < split_ ? state_.nodes() : overlay_->table_; }
  NodeId row(NodeId id) const { return id < split_ ? id : id - split_; }

  const State& state_;
  const Overlay* overlay_;
  const NodeId split_;
};

}  // namespace winnow
