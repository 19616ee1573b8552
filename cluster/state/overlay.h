// An overlay: changes that one request assumes on top of the state.
//
// A changed node gets a row in the overlay's own table, as a copy of the state's row, and the state's row is
// hidden. Pods are added to that row or subtracted from it, as in the state. Counts by pod group and by term
// are not copied. The overlay lists the pods that it added or removed, and the View adds them to the state's
// counts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/state/dictionaries.h"
#include "cluster/state/footprint.h"
#include "cluster/state/node_table.h"
#include "cluster/state/pod_terms.h"
#include "cluster/state/row_values.h"

namespace winnow {

class DeviceInventory;
class State;

/// A few added or removed pods and nodes. Examples are nominated pods, the victims of a preemption, the pods
/// that a simulation has placed, and nodes given in full by a request. The overlay reads the state and never
/// changes it. The state must not change while the overlay lives. Complete the overlay before a View reads
/// it: a later change holds only for views made, and rules bound, after it. Not synchronised.
class Overlay {
 public:
  explicit Overlay(const State& state);
  /// A copy on the same state, to which more changes can be added. Costs as much as the overlay holds.
  Overlay(const Overlay& other);
  Overlay& operator=(const Overlay&) = delete;

  /// Adds the node, or replaces it. Its pods stay those of the state. A node that was removed comes back with
  /// its pods, and counts as the youngest.
  void set_node(const Node& node);
  /// Removes the node and its pods from the view. An unknown name is ignored.
  void remove_node(std::string_view name);
  /// Adds a pod to the node that its spec names. It is ignored if that node is not in the view.
  void add_pod(const Pod& pod) { add_pod(pod, /*nominated=*/false); }
  /// The same for a pod that is only nominated for that node. v1.16 does not count it everywhere; see
  /// View::count_assigned.
  void add_nominated_pod(const Pod& pod) { add_pod(pod, /*nominated=*/true); }
  /// Removes a pod of the state. @return whether it was there.
  bool remove_pod(std::string_view ns, std::string_view name);
  /// Undoes remove_pod(). @return whether the pod had been removed.
  bool restore_pod(std::string_view ns, std::string_view name);
  /// Whether add_pod() or add_nominated_pod() has added the pod.
  bool has_added(std::string_view ns, std::string_view name) const;
  /// Replaces the devices of the state. These outlive the overlay and its copies.
  void set_devices(const DeviceInventory& devices) { devices_ = &devices; }
  const State& state() const { return state_; }
  bool has_nominated() const { return std::ranges::any_of(changes_, &PodChange::nominated); }

  /// The number of pod changes so far. Between mark() and return_to() nodes must not be changed.
  std::size_t mark() const { return changes_.size(); }
  /// Undoes the pod changes since the mark.
  void return_to(std::size_t mark);

 private:
  friend class View;

  /// A node that has a row in the overlay's table.
  struct Row {
    NodeId row = kNone;     ///< In table_.
    NodeId origin = kNone;  ///< In the state; kNone for a node that only the overlay has.
    bool removed = false;   ///< Not in the view. The row keeps its pods, as the node may come back.
  };
  /// A pod that was added (by = 1) or removed (by = -1). It is a pod of the state, or one that only the
  /// overlay has.
  struct PodChange {
    NodeId row = kNone;
    std::string ns;
    std::string name;  ///< Only of a pod that the state does not have.
    StringMap labels;
    bool deleting = false;
    std::int32_t by = 0;
    PodId pod = kNone;                ///< Only of a pod of the state.
    TermListId terms = kNone;         ///< Only of a pod of the state.
    std::vector<AffinityTerm> added;  ///< Only of a pod that the state does not have.
    Footprint footprint;              ///< The same.
    bool nominated = false;           ///< The same: it is only nominated for the node.
  };

  /// A change of the number of pods that mount a claim.
  struct ClaimChange {
    NodeId row = kNone;
    Symbol claim = kNone;
    std::int32_t by = 0;
  };

  /// The node's row here, copied from the state at the first use. Null for an unknown node.
  Row* row_of(std::string_view node_name);
  void add_pod(const Pod& pod, bool nominated);
  /// @param is_coming  whether the pod is on its way: see NodeLoad.
  void apply(NodeId row, const Footprint& footprint, std::int32_t by, bool is_coming);
  /// Sets `node_name` to the node of a pod added here, if that pod's name sorts before `first`; see
  /// View::first_location.
  void offer_first(const std::string& ns, const StringMap& labels, const std::string* first,
                   std::string& node_name) const;
  /// Whether a pod of the namespace with at least these labels is added as one that is only nominated.
  bool nominates(const std::string& ns, const StringMap& labels) const;
  /// Counts a pod of the state on the row once more, or once less.
  void change(NodeId row, PodId pod, std::int32_t by);
  void attach_claims(NodeId row, const Footprint& footprint, std::int32_t by);

  const State& state_;
  const DeviceInventory* devices_ = nullptr;  ///< Null: the state's.
  Dictionaries names_;
  NodeTable table_;
  std::map<std::string, Row, std::less<>> rows_;
  std::vector<std::uint8_t> hidden_;  ///< By state row; 1: replaced or removed by the overlay.
  std::vector<PodChange> changes_;
  std::vector<ClaimChange> claim_changes_;
  std::int64_t node_delta_ = 0;  ///< The number of nodes minus the state's.
  /// The keys are the pods of the state that are removed. The value is not used.
  std::map<PodId, bool> removed_pods_;
  /// See NodeColumns::arrival. Nodes that only the overlay has count as the youngest.
  std::uint64_t next_arrival_ = ~std::uint64_t{0} >> 1;
};

}  // namespace winnow
