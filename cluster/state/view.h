// How rules see the cluster.
//
// Ids below the state's capacity are the state's rows; those behind it are the overlay's. An id that the
// overlay hides names no node of the view. Rules get their ids from the view, and so never meet a hidden one.
// A Column is the state's array and the overlay's behind it. Without an overlay a rule may read it as one
// array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cluster/state/overlay.h"

namespace winnow {

/// A number of every node, read by NodeId: the state's column, and behind it the overlay's.
template <class T>
class Column {
 public:
  /// @param split  the id of the overlay's first row; kNone: there is no overlay.
  Column(const std::vector<T>* base, const std::vector<T>* extra, NodeId split, T missing)
      : base_(base ? base->data() : nullptr),
        extra_(extra ? extra->data() : nullptr),
        split_(split),
        missing_(missing) {}

  T operator[](NodeId id) const {
    if (id < split_) return base_ ? base_[id] : missing_;
    return extra_ ? extra_[id - split_] : missing_;
  }
  /// Where it can be read as an array: there is no overlay, and somebody has it. Null otherwise. The overlay
  /// may have rows where it has no such column: an array would be read beyond its end.
  const T* flat() const { return split_ == kNone ? base_ : nullptr; }
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
  Column<std::uint8_t> installed;  ///< 1: the CSINode has the driver.
};

/// The domain of each node by one label, as numbers below capacity().
class DomainIds {
 public:
  DomainIds(const LabelColumn* base, std::vector<std::uint32_t> extra, NodeId split, std::uint32_t capacity,
            std::uint32_t of_empty)
      : base_(base ? base->domains().data() : nullptr),
        extra_(std::move(extra)),
        split_(split),
        capacity_(capacity),
        of_empty_(of_empty) {}

  /// kNone for a node without the label.
  std::uint32_t operator[](NodeId id) const {
    if (id < split_) return base_ ? base_[id] : kNone;
    return extra_.empty() ? kNone : extra_[id - split_];
  }
  std::uint32_t capacity() const { return capacity_; }
  /// The domain of the nodes whose label is empty, or kNone.
  std::uint32_t of_empty_value() const { return of_empty_; }

 private:
  const std::uint32_t* base_;
  std::vector<std::uint32_t> extra_;  ///< Of an overlay's rows.
  NodeId split_;
  std::uint32_t capacity_, of_empty_;
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
  Column<T> column(std::vector<T> NodeColumns::* member) const {
    return {&(state_.nodes().*member), overlay_ ? &(overlay_->table_.*member) : nullptr, column_split(), T()};
  }
  const std::vector<NodeTable::PortUse>& ports(NodeId id) const { return table(id).ports[row(id)]; }
  const std::vector<NodeTable::DiskUse>& disks(NodeId id) const { return table(id).disks[row(id)]; }

  const std::vector<AttachTable::Use>& attached(NodeId id) const {
    return table(id).attached().uses(row(id));
  }

  /// The value symbols of a label key; kNone where a node lacks the label.
  Column<Symbol> label(std::string_view key) const;
  /// The domains that a label's values make.
  DomainIds domains(std::string_view key) const;
  ScalarColumns scalar(std::string_view resource) const;
  ImageSpread image(std::string_view name) const;
  AttachColumns attach_limit(std::string_view limit) const;
  /// The id of a volume in names().attachables, or kNone: no node has it.
  std::uint32_t attachable(const AttachableName& volume) const;
  /// What each node's CSINode says; see csi_flags().
  Column<std::uint8_t> csi() const;
  /// Whether a pod on some node mounts the claim by its name; ephemeral volumes do not count.
  bool is_claim_used(std::string_view ns, std::string_view name) const;

  /// Whether a pod that only waits for its node mounts a claim of that name, in whatever namespace.
  bool is_claim_awaited(std::string_view name) const;

  const Dictionaries& names() const { return overlay_ ? overlay_->names_ : state_.names(); }
  /// The symbol of a text, or kNone: nothing in this view has that text.
  Symbol symbol(std::string_view text) const { return names().symbols.find(text); }
  std::string_view text(Symbol symbol) const { return names().symbols[symbol]; }

  /// By node id: the pods that the query asks for; 0 at an id that names no node. A request never goes
  /// through the pods of the cluster for it; see PodGroups::count.
  std::vector<std::int32_t> count_pods(const PodQuery& query) const;
  /// Those of one namespace that match, the ones being deleted left out.
  std::vector<std::int32_t> count_pods(const std::string& ns, const Selector& selector) const {
    return count_pods(PodQuery{{ns}, selector, false});
  }

  /// The same without the pods that only wait for their node; see Overlay::add_nominated_pod.
  std::vector<std::int32_t> count_assigned(const PodQuery& query) const;

  bool has_nominated() const { return overlay_ && overlay_->has_nominated(); }

  /// There is a pod on some node.
  bool has_running_pods() const;
  /// A node that is not there and yet has such a pod: the first by name, or "". Goes through all pods of
  /// nodes that are not there: they are few, and this is for what fails.
  std::string find_missing_node(const PodQuery& query) const;

  /// The labels of a namespace; none where there is no such object.
  const StringMap& namespace_labels(std::string_view ns) const;

  /// Calls visit(term, pods) for every term of a kind that pods on nodes have and that matches the pod, with
  /// how many they are by node. A term may come several times: the numbers add up.
  using TermVisitor = std::function<void(const AffinityTerm&, std::span<const PodsOnNode>)>;
  void visit_terms(TermKind kind, const ObjectMeta& pod, const TermVisitor& visit) const;
  /// The same for the terms whose selectors are invalid; pods that only wait for their node are left out.
  void visit_invalid_terms(TermKind kind, const TermVisitor& visit) const;

  /// Where a pod runs: a node that this view need not know.
  struct Location {
    std::string node_name;
    NodeId node = kNone;
  };
  /// The site of the first pod, by name, of the namespace that has a node and all of these labels and perhaps
  /// more; pods being deleted count. Goes through the label sets of the namespace, not through its pods.
  std::optional<Location> first_location(const std::string& ns, const StringMap& labels) const;

  const Workloads& workloads() const { return state_.workloads; }
  const Volumes& volumes() const { return state_.volumes; }
  const Objects& objects() const { return state_.objects; }
  const State& state() const { return state_; }
  /// The changes that this view has on top of the state, to add others to.
  Overlay overlay() const { return overlay_ ? Overlay(*overlay_) : Overlay(state_); }
  /// Whether the overlay has put the pod on a node.
  bool has_added(std::string_view ns, std::string_view name) const {
    return overlay_ && overlay_->has_added(ns, name);
  }

 private:
  std::vector<std::int32_t> count_pods_by_row(const PodQuery& query, bool nominated = true) const;
  std::vector<std::int32_t> count_pods(const PodQuery& query, bool nominated) const;
  bool is_removed(NodeId extra_row) const;
  void visit_term(TermId term, const TermVisitor& visit) const;
  template <class Wanted>
  void visit_added(TermKind kind, const TermVisitor& visit, const Wanted& is_wanted) const;
  CountsByNode overlaid(TermId term) const;
  const NodeTable& table(NodeId id) const { return id < split_ ? state_.nodes() : overlay_->table_; }
  NodeId row(NodeId id) const { return id < split_ ? id : id - split_; }
  NodeId column_split() const { return overlay_ ? split_ : kNone; }

  const State& state_;
  const Overlay* overlay_;
  const NodeId split_;
};

}  // namespace winnow
