// Changes that one request imagines on top of the state.
//
// A node that changes gets a row of the overlay's own, a copy of the state's row. Pods are added there, or
// taken away, as in the state. The state's row is hidden. Counts by pod group and by term are not copied: the
// overlay lists the pods that came or went, and the View adds them to the state's counts.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/state/state.h"

namespace winnow {

/// A few pods and nodes added or taken away: nominated pods, the victims of a preemption, what a simulation
/// has placed, full nodes that only a request knows. The state underneath is not touched and must
/// not change while the overlay lives. Build it whole, then read it through a View; what changes afterwards
/// is for views made, and rules bound, after that. Not synchronised.
class Overlay {
 public:
  explicit Overlay(const State& state);
  /// The same changes on the same state, to which more can be added. Costs what the overlay holds.
  Overlay(const Overlay& other);
  Overlay& operator=(const Overlay&) = delete;

  /// The node as given here wins over the state's; its pods are the state's. One that was removed comes back
  /// with its pods, and is then the youngest.
  void set_node(const Node& node);
  /// The node is not there for this request; nor are its pods.
  void remove_node(std::string_view name);
  /// A pod more on the node that its spec names; ignored where that node is not there.
  void add_pod(const Pod& pod) { add_pod(pod, /*nominated=*/false); }
  /// The same for a pod that only waits for that node: v1.16 does not see it everywhere; see
  /// View::count_assigned.
  void add_nominated_pod(const Pod& pod) { add_pod(pod, /*nominated=*/true); }
  /// A pod of the state less. @return whether it was there.
  bool remove_pod(std::string_view ns, std::string_view name);
  /// A pod that remove_pod took away is there again. @return whether it had been taken away.
  bool restore_pod(std::string_view ns, std::string_view name);
  /// Whether add_pod has added it.
  bool has_added(std::string_view ns, std::string_view name) const;
  const State& state() const { return state_; }
  bool has_nominated() const { return std::ranges::any_of(changes_, &PodChange::nominated); }

  /// Where the changes of pods stand; nodes are not changed in between.
  std::size_t mark() const { return changes_.size(); }
  /// Takes back the changes of pods since then.
  void return_to(std::size_t mark);

 private:
  friend class View;

  /// A node with a row of the overlay's own.
  struct Row {
    NodeId row = kNone;     ///< In table_.
    NodeId origin = kNone;  ///< In the state; kNone for a node that only the overlay knows.
    bool removed = false;   ///< Not there; the row keeps its pods, for the node may come back.
  };
  struct PodChange {
    NodeId row = kNone;
    std::string ns;
    std::string name;  ///< Of one that only the overlay knows; the state's are found there.
    StringMap labels;
    bool deleting = false;
    std::int32_t by = 0;
    PodId pod = kNone;                ///< Of the state.
    TermListId terms = kNone;         ///< Of a pod of the state.
    std::vector<AffinityTerm> added;  ///< Of a pod that only the overlay knows.
    Footprint footprint;              ///< The same.
    bool nominated = false;           ///< The same: it only waits for the node.
  };

  struct ClaimChange {
    NodeId row = kNone;
    Symbol claim = kNone;
    std::int32_t by = 0;
  };

  Row* row_of(std::string_view node_name);
  void add_pod(const Pod& pod, bool nominated);
  void apply(NodeId row, const Footprint& footprint, std::int32_t by);
  /// Puts the node's name there, if one of the pods added here comes before `first`; see
  /// View::first_location.
  void offer_first(const std::string& ns, const StringMap& labels, const std::string* first,
                   std::string& node_name) const;
  void change(NodeId row, PodId pod, std::int32_t by);
  void attach_claims(NodeId row, const Footprint& footprint, std::int32_t by);

  const State& state_;
  Dictionaries names_;
  NodeTable table_;
  std::map<std::string, Row, std::less<>> rows_;
  std::vector<std::uint8_t> hidden_;  ///< By state row: replaced or removed here.
  std::vector<PodChange> changes_;
  std::vector<ClaimChange> claim_changes_;
  std::int64_t node_delta_ = 0;  ///< Nodes more (or fewer) than the state has.
  std::map<PodId, bool> removed_pods_;
  /// See NodeColumns::arrival. Nodes that only the overlay knows are the youngest.
  std::uint64_t next_arrival_ = ~std::uint64_t{0} >> 1;
};

}  // namespace winnow
