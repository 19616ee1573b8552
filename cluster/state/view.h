// The view: the snapshot of the cluster that rules read.
//
// Ids below the state's capacity are rows of the state. Ids from there on are rows of the overlay. An id that
// the overlay hides names no node of the view. Rules take their ids from the view, so they never use a hidden
// one. A Column joins the state's array and the overlay's. Without an overlay a rule may read it as one
// array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cluster/api/meta.h"
#include "cluster/function_ref.h"
#include "cluster/state/label_column.h"
#include "cluster/state/node_table.h"
#include "cluster/state/pool.h"
#include "cluster/state/row_values.h"

namespace winnow {

class DeviceInventory;
class FieldTree;
class Overlay;
class Selector;
class State;
class Volumes;
class Workloads;
enum class TermKind : std::uint8_t;
struct AffinityTerm;
struct AttachableName;
struct Dictionaries;
struct Footprint;
struct Objects;
struct PodQuery;

/// One value of every node, read by NodeId: from the state's column, or from the overlay's.
template <class T>
class Column {
 public:
  /// @param split  the id of the overlay's first row; kNone without an overlay.
  /// @param missing  the value of a row whose table lacks the column.
  Column(const std::vector<T>* base, const std::vector<T>* extra, NodeId split, T missing)
      : Column(of(base), of(extra), split, missing) {}
  Column(ValuesByRow<T> base, ValuesByRow<T> extra, NodeId split, T missing)
      : base_(base.array ? static_cast<const void*>(base.array) : base.map),
        extra_(extra.array ? static_cast<const void*>(extra.array) : extra.map),
        in_base_(base.array ? split : 0),
        split_(split),
        missing_(missing),
        base_is_array_(base.array != nullptr),
        extra_is_array_(extra.array != nullptr),
        has_more_(extra_ || (base_ && !base_is_array_)) {}

  T operator[](NodeId id) const {
    if (id < in_base_) [[likely]]
      return static_cast<const T*>(base_)[id];
    return has_more_ ? find(id) : missing_;
  }
  /// The column as one array, or null. It is an array if there is no overlay and the state has an array.
  const T* flat() const { return split_ == kNone && base_is_array_ ? static_cast<const T*>(base_) : nullptr; }
  /// Whether no table has the column; every entry is then `missing`.
  bool empty() const { return !base_ && !extra_; }

 private:
  static ValuesByRow<T> of(const std::vector<T>* values) {
    return {.array = values && !values->empty() ? values->data() : nullptr};
  }
  /// Not inlined: a loop over an array must not carry what is seldom.
  [[gnu::noinline]] T find(NodeId id) const {
    const bool in_extra = id >= split_;
    const NodeId row = in_extra ? id - split_ : id;
    const void* const values = in_extra ? extra_ : base_;
    if (!values) return missing_;
    if (in_extra ? extra_is_array_ : base_is_array_) return static_cast<const T*>(values)[row];
    return static_cast<const IdMap<T>*>(values)->find(row, missing_);
  }

  // Of the state and of the overlay: an array of T, or an IdMap<T>, or null. Rules copy columns: they are
  // small.
  const void* base_;
  const void* extra_;
  NodeId in_base_;  ///< `split_`; 0 if the state lacks the array. So most reads cost one test.
  NodeId split_;
  T missing_;
  bool base_is_array_, extra_is_array_;
  bool has_more_;  ///< Than the state's array.
};

/// The columns of a scalar resource; 0 for a node without it.
struct ScalarColumns {
  Column<std::int64_t> allocatable;
  Column<std::int64_t> requested;
};

/// The columns of one attach limit: the volumes that each node may have attached, and those it has.
struct AttachColumns {
  Column<std::int64_t> offered;    ///< The limit in the Node; AttachTable::kNoLimit without one.
  Column<std::int64_t> by_driver;  ///< The limit in the CSINode; kNoLimit without one.
  Column<std::int32_t> attached;
  Column<std::uint8_t> installed;  ///< 1: the CSINode has the driver.
};

/// The nodes that have an image.
struct ImageSpread {
  std::int64_t size = 0;      ///< Bytes, as reported by the oldest node that has it.
  std::vector<NodeId> nodes;  ///< In no particular order.
};

/// A state, alone or with an overlay on top. NodeIds hold for one view only: a node that the overlay changes
/// has another id there, behind the state's. All functions are const. Threads may share a view as long as the
/// state and the overlay do not change.
class View {
 public:
  /// Both must outlive the view. If the state is in a cache, the caller holds its shared lock.
  explicit View(const State& state, const Overlay* overlay = nullptr);

  /// @return the node's id in this view, or kNone.
  NodeId find_node(std::string_view name) const;
  std::string_view node_name(NodeId id) const {
    return id < split_ ? rows_.name[id] : extra_rows_->name[id - split_];
  }
  /// Whether an id below capacity() names its row's node in this view. It does not if the overlay replaces or
  /// removes the node.
  bool is_current(NodeId id) const { return id >= split_ || !hidden_ || !(*hidden_)[id]; }
  std::size_t node_count() const;
  /// One past the largest id. Not every id below it names a node.
  NodeId capacity() const { return split_ + (extra_rows_ ? extra_rows_->capacity() : 0); }
  /// Every node, in no particular order.
  std::vector<NodeId> all_nodes() const;

  template <class T>
  Column<T> column(std::vector<T> NodeColumns::* member) const {
    return {&(rows_.*member), extra_rows_ ? &(extra_rows_->*member) : nullptr, column_split(), T()};
  }
  /// The host ports and inline disks in use on a node.
  const std::vector<NodeTable::PortUse>& ports(NodeId id) const { return table(id).ports[row(id)]; }
  const std::vector<NodeTable::DiskUse>& disks(NodeId id) const { return table(id).disks[row(id)]; }

  /// The volumes attached to a node.
  const std::vector<AttachTable::Use>& attached(NodeId id) const {
    return table(id).attached().uses(row(id));
  }

  /// The values of a label, as symbols; kNone for a node without the label.
  Column<Symbol> label(std::string_view key) const;
  /// The numbers of a fact that a rule's record asks for; not a number for a node without. The state must
  /// have the fact in its options.
  Column<double> fact(const NodeFact& wanted) const;
  /// What expressions read of the node. The state must have their fields in its options.
  const FieldTree& fields(NodeId id) const { return table(id).fields(row(id)); }
  /// What is measured of the node, and is on its way to it. The state must keep loads by its options.
  const NodeLoad& load(NodeId id) const { return table(id).load(row(id)); }
  /// Numbers that depend on one node's row each, and are kept with the state; null where an overlay is in
  /// force, and as KeptNumbers::find() says of the key.
  std::shared_ptr<NumbersByRow> kept_numbers(std::string_view key) const {
    return overlay_ ? nullptr : rows_.numbers(key);
  }
  /// The names of the images that the node has, and the scalar resources that it offers.
  const std::vector<Symbol>& image_names(NodeId id) const { return table(id).image_names[row(id)]; }
  const std::vector<Symbol>& offers(NodeId id) const { return table(id).offers[row(id)]; }
  /// The scalar resources that some node offers.
  std::vector<Symbol> offered_resources() const;
  /// The domains that the values of a label form.
  DomainIds domains(std::string_view key) const;
  ScalarColumns scalar(std::string_view resource) const;
  ImageSpread image(std::string_view name) const;
  AttachColumns attach_limit(std::string_view limit) const;
  /// The id of a volume in names().attachables; kNone: no node has it.
  std::uint32_t attachable(const AttachableName& volume) const;
  /// Whether the node's Node or its CSINode sets any attach limit.
  bool has_attach_limit(NodeId id) const { return table(id).attached().has_limit(row(id)); }
  /// The flags of each node's CSINode; see csi_flags().
  Column<std::uint8_t> csi() const;
  /// Whether a pod on some node mounts the claim by its name. Ephemeral volumes do not count.
  bool is_claim_used(std::string_view ns, std::string_view name) const;

  /// Whether a pod that is only nominated for a node mounts a claim of that name, in any namespace.
  bool is_claim_awaited(std::string_view name) const;

  const Dictionaries& names() const { return names_; }
  /// The symbol of a text; kNone: nothing in this view has that text.
  Symbol symbol(std::string_view text) const { return symbols_.find(text); }
  std::string_view text(Symbol symbol) const { return symbols_[symbol]; }

  /// The number of matching pods by NodeId; 0 at an id that names no node. The cost does not depend on the
  /// number of pods; see PodGroups::count.
  std::vector<std::int32_t> count_pods(const PodQuery& query) const;
  /// The same for one namespace, without pods that are being deleted.
  std::vector<std::int32_t> count_pods(const std::string& ns, const Selector& selector) const;

  /// The same without pods that are only nominated for their node; see Overlay::add_nominated_pod.
  std::vector<std::int32_t> count_assigned(const PodQuery& query) const;

  bool has_nominated() const;

  /// Whether there is a pod on some node.
  bool has_running_pods() const;
  /// The first node, by name, that a matching pod names and that is not in the view; "" if none. Reads all
  /// pods of such nodes. They are few, and only an error text needs this.
  std::string find_missing_node(const PodQuery& query) const;

  /// The labels of a namespace; empty if there is no such object.
  const StringMap& namespace_labels(std::string_view ns) const;

  /// Calls visit(term, pods) for every term of a kind that matches the pod and that pods on nodes have.
  /// `pods` is the number of these pods by node. A term may come several times: the numbers add up.
  using TermVisitor = FunctionRef<void(const AffinityTerm&, std::span<const PodsOnNode>)>;
  void visit_terms(TermKind kind, const ObjectMeta& pod, const TermVisitor& visit) const;
  /// The same for terms with an invalid selector. Pods that are only nominated for their node are left out.
  void visit_invalid_terms(TermKind kind, const TermVisitor& visit) const;

  /// A pod on a node of the view. It is valid during the visit.
  struct PodHere {
    std::string_view ns, name;
    const Footprint& footprint;
    FunctionRef<StringMap()> labels;
    bool deleting = false;
    FunctionRef<bool(const AffinityTerm&)> has_term;

    std::string full_name() const { return std::string(ns) + '/' + std::string(name); }
  };
  /// The full name of the first pod on the node, by namespace and name, that is wanted; "": there is none.
  std::string first_pod_on(NodeId node, FunctionRef<bool(const PodHere&)> is_wanted) const;

  /// The node of a pod. It may be unknown to this view: its id is then kNone.
  struct Location {
    std::string node_name;
    NodeId node = kNone;
  };
  /// The location of the first pod, by name, among those of the namespace that have a node and at least these
  /// labels. Pods being deleted count. Walks the label sets of the namespace, not its pods.
  /// @param known  true: only pods on nodes that this view knows. If there is none but a pod that is only
  ///   nominated, that is a pod without a node: its location has no name.
  std::optional<Location> first_location(const std::string& ns, const StringMap& labels,
                                         bool known = false) const;

  const Workloads& workloads() const;
  const Volumes& volumes() const;
  const DeviceInventory& devices() const;
  const Objects& objects() const;
  const State& state() const { return state_; }
  bool has_overlay() const { return overlay_ != nullptr; }
  /// A copy of this view's overlay, or an empty one, to add changes to.
  Overlay overlay() const;
  /// Whether the overlay has added the pod.
  bool has_added(std::string_view ns, std::string_view name) const;

 private:
  /// Like count_pods(), but pods on rows that the overlay has removed count. `nominated`: so do nominated
  /// pods.
  std::vector<std::int32_t> count_pods_by_row(const PodQuery& query, bool nominated = true) const;
  std::vector<std::int32_t> count_pods(const PodQuery& query, bool nominated) const;
  /// Whether the overlay has removed the node of its row.
  bool is_removed(NodeId extra_row) const;
  /// The changes of the overlay, by the terms of the state's pods.
  using TermChanges = std::unordered_map<TermId, std::vector<PodsOnNode>>;
  TermChanges term_changes() const;
  /// @param changes  made at the first use.
  void visit_term(TermId term, std::optional<TermChanges>& changes, const TermVisitor& visit) const;
  template <class Wanted>
  void visit_added(TermKind kind, const TermVisitor& visit, const Wanted& is_wanted) const;
  CountsByNode overlaid(TermId term, const TermChanges& changes) const;
  const NodeTable& table(NodeId id) const { return id < split_ ? rows_ : *extra_rows_; }
  NodeId row(NodeId id) const { return id < split_ ? id : id - split_; }
  NodeId column_split() const { return overlay_ ? split_ : kNone; }

  const State& state_;
  const Overlay* overlay_;
  // What rules read all the time, of the two. Null without an overlay.
  const NodeTable& rows_;
  const NodeTable* extra_rows_;
  const std::vector<std::uint8_t>* hidden_;  ///< By state row.
  const Dictionaries& names_;
  const Symbols& symbols_;  ///< Of names_.
  const NodeId split_;
};

}  // namespace winnow
