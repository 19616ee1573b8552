// What is kept of the answers for one class of equal pods, and whether it still holds.
//
// extender/reuse knows rows, verdicts and raw scores. It knows no rule: the engine says what each rule reads,
// and does the asking. docs/reuse.md says why a reused answer is right.
//
//   kept_class.h    one class: verdicts and raw scores by row, and which rows are fresh
//   kept_answers.h  the classes of one rule set, in bounded memory
//   node_totals.h   the totals of nodes, of which the best are found without a look at each
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cluster/api/kinds.h"
#include "cluster/api/meta.h"
#include "cluster/api/pod.h"
#include "cluster/rule/rule.h"
#include "extender/reuse/node_totals.h"
#include "extender/reuse/shared_vector.h"

namespace winnow {

class State;

/// What the rules of a set read, by rule in the set's order.
struct RuleReads {
  std::vector<Reads> predicates, priorities;
  WatchedKinds kinds;          ///< What those that read single nodes read beside nodes and pods.
  WatchedKinds kinds_of_rows;  ///< The same of those with Reads::kRows.
};

/// Whether a rule's verdicts and raw scores are kept by row.
constexpr bool reads_single_nodes(Reads reads) { return reads == Reads::kNode || reads == Reads::kNodes; }

/// The rules of one kind, as they were bound: each not null.
using BoundRules = std::vector<bool>;

/// What the rules with Reads::kRows keep themselves, for one kind of question.
class KeptSlots {
 public:
  /// The slot of a rule, which is to be bound now.
  KeptSlot* of(std::size_t rule, std::size_t rules);
  /// To be called when all rules are bound.
  void followed() { changed_.clear(); }
  void note(NodeId row);
  void drop_all();
  std::size_t bytes() const;

 private:
  std::vector<KeptSlot> slots_;  ///< By rule.
  std::vector<NodeId> changed_;  ///< Since the rules were bound last.
};

/// All of a pod that a rule with Reads::kNode or kNodes may read. Pods of one Deployment are equal in it.
class PodClass {
 public:
  /// Whether a pod has a class. Not where rules may read more of it than a class has: a volume that is named
  /// by the pod, a resize in its status, an amount beyond what can be compared. And not where its spec is so
  /// large that a copy is too much to keep.
  static bool has(const Pod& pod);
  /// The same for pods of one class; two classes may have the same.
  static std::size_t hash_of(const Pod& pod);

  /// The class of a pod that has one.
  PodClass(const Pod& pod, Accounting accounting);
  bool contains(const Pod& pod, Accounting accounting) const;
  /// A rough figure.
  std::size_t bytes() const;

 private:
  std::string ns_;
  StringMap labels_;
  std::optional<OwnerReference> controller_;
  bool deleting_;
  std::string fields_;
  PodSpec spec_;  ///< Without the volumes that no rule reads: their names differ from pod to pod.
  Accounting accounting_;
  std::size_t pieces_;  ///< What the labels and the spec are made of.
};

/// Which rules have something to say about the pod. One that comes or goes makes all that is kept stale.
using Speaking = std::vector<bool>;

/// The list of nodes that was asked about last, in its order. The next request often has the same: it is then
/// answered by the same rows, with a few places changed.
class LastNodes {
 public:
  bool are(std::span<const NodeId> nodes) const {
    if (nodes.data() == nodes_.data())
      return nodes.size() == nodes_.size();  // What is shared is not changed.
    return std::ranges::equal(nodes_, nodes);
  }
  void set(SharedVector<NodeId> nodes);
  /// A node that has come into the list, or has left it.
  struct Change {
    std::size_t place;  ///< Where it stands, or stood when all changes before this one were done.
    NodeId row;
    bool has_come;
  };
  /// The changes that make the list this one, in the order of places; nothing: they are many.
  std::optional<std::vector<Change>> changes_to(std::span<const NodeId> nodes) const;
  /// Takes that list. To be called after find_places().
  void change(SharedVector<NodeId> nodes, std::span<const Change> changes);
  const SharedVector<NodeId>& nodes() const { return nodes_; }
  /// To be called before place_of(). @param rows  of the state.
  void find_places(std::size_t rows);
  /// The place of a row's node; kNone: it is not among them.
  std::uint32_t place_of(NodeId row) const { return row < places_.size() ? places_[row] : kNone; }

 private:
  SharedVector<NodeId> nodes_;
  std::vector<std::uint32_t> places_;  ///< By row; empty: they are not known yet.
};

/// Which rows are fresh: what is kept of them is what the rules would say now.
class FreshRows {
 public:
  bool has(NodeId row) const { return fresh_[row] != 0; }
  void add(NodeId row) { fresh_[row] = 1; }
  void grow(std::size_t rows) { fresh_.resize(std::max(fresh_.size(), rows), 0); }
  /// A row that is fresh is stale from now on.
  void drop(NodeId row);
  /// A row stays stale though it was asked about: it is among the rows of the next take_dropped().
  void ask_again(NodeId row);
  void drop_all();
  /// The rows that have become stale since the last call; nothing: all may have.
  std::optional<std::vector<NodeId>> take_dropped();
  std::size_t bytes() const { return fresh_.capacity(); }

 private:
  std::vector<std::uint8_t> fresh_;  ///< By row.
  std::vector<NodeId> dropped_;
  bool dropped_all_ = true;
};

/// The nodes of a request that fit.
struct FittingNodes {
  SharedVector<NodeId> nodes;
  SharedVector<std::size_t> places;  ///< Their indexes in the request.
  std::size_t errors = 0;            ///< How many of the other nodes have Fit::kError.

  /// A node of the request fits from now on, or no longer.
  void flip(NodeId node, std::size_t place);
};

/// The answers for one class. One thread at a time uses it.
class KeptClass {
 public:
  explicit KeptClass(PodClass of) : of_(std::move(of)) {}
  const PodClass& of() const { return of_; }

  /// Makes stale what has changed since the last call. To be called before every use, with the state that
  /// the rules are bound to.
  void follow(const State& state, const RuleReads& reads);

  /// The joint verdict of the predicates that read single nodes: the first one that refuses the node, and its
  /// verdict.
  struct Verdicts {
    FreshRows fresh;
    std::vector<std::uint16_t> failed_by;  ///< By row.
    std::vector<Verdict> verdict;
    LastNodes last;
    // The last answer, by all rules, in the order of `last`.
    SharedVector<std::uint16_t> last_failed_by;
    SharedVector<Verdict> last_verdict;
    std::optional<FittingNodes> last_fitting;
    BoundRules last_bound;
    bool complete = false;      ///< The last request has got its answer, which these are.
    bool was_complete = false;  ///< `complete`, when the request in hand began.
    KeptSlots slots;
  };
  /// @param speaking  of the predicates whose answers are kept.
  Verdicts& verdicts(const Speaking& speaking);

  /// What is known of the last request's nodes by groups: those of the rule (Priority::groups()), or those of
  /// one raw score each.
  struct Groups {
    bool known = false;
    std::vector<std::uint32_t> members;               ///< By group: how many of the nodes are of it.
    std::vector<std::optional<std::int64_t>> scores;  ///< By group; nothing: it had no members.
    /// By group: the raw score of its nodes, where that makes the group; see ReducesBy::kValues.
    std::vector<std::int64_t> values;
  };

  /// The raw scores of the priorities, the scores, and the totals. A row's total is the weighted sum of its
  /// scores here, whichever nodes were asked about last.
  struct Scores {
    FreshRows fresh;  ///< Of the raw scores by row, of all priorities at once.
    // By priority, then by row. Empty: it is not kept, or the priority gives no scores.
    std::vector<std::vector<std::int64_t>> raw;
    std::vector<SharedVector<std::int64_t>> scores;
    std::vector<std::int64_t> totals;  ///< By row.
    LastNodes last;
    std::vector<Groups> groups;  ///< By priority; of `last`.
    // Of `last`, by place.
    /// By priority; of those that `raw` lacks. Empty: they are not known.
    std::vector<std::vector<std::int64_t>> last_raw;
    std::vector<std::optional<std::int64_t>> last_constant;  ///< By priority: the raw score of all of them.
    NodeTotals last_totals;
    bool complete = false, was_complete = false;  ///< As above.
    KeptSlots slots;
  };
  /// @param speaking  of all priorities. @param kept  of those whose raw scores are kept.
  /// @param base  a node's total without priorities.
  Scores& scores(const Speaking& speaking, const Speaking& kept, std::int64_t base);

  /// These nodes as a list to keep. Where they are those that fit by the last answer, it is that list.
  SharedVector<NodeId> list_of(std::span<const NodeId> nodes) const;

  /// The places of what rules keep themselves, before they are bound. The last answer is none until the next
  /// one is complete: the request may run out of time.
  KeptSlots& begin_verdicts();
  KeptSlots& begin_scores();

  /// A rough figure.
  std::size_t bytes() const;

  bool is_off() const { return off_; }
  void turn_off() { off_ = true; }

 private:
  friend class KeptAnswers;

  const PodClass of_;
  // The state that it is of, and how far it has followed it.
  std::uint64_t state_ = 0;
  std::uint64_t changes_ = 0, node_changes_ = 0;
  std::array<std::uint64_t, kResourceKinds> versions_{};
  std::size_t rows_ = 0;
  Speaking predicates_, priorities_;
  Verdicts verdicts_;
  Scores scores_;
  bool off_ = false;  ///< An answer was found wrong: nothing is reused.
  std::atomic_flag taken_;
};

}  // namespace winnow
