// The interfaces of rules that filter or score, with the request, the verdict, and the trial of a dry run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <expected>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/api/generation.h"
#include "cluster/rule/budget.h"
#include "cluster/state/row_values.h"

namespace winnow {

class ReasonLists;
class View;
struct Pod;

/// What a rule's verdict on a node, or its raw score, depends on: beside the pod, and the objects of the
/// kinds that its record names. A verdict of kNode or kNodes is kept and given again while that is unchanged
/// (see extender/reuse). Of the pod, such a rule and one of kRows read neither the name nor the UID, and they
/// number their reasons by the pod alone.
enum class Reads : std::uint8_t {
  kCluster,  ///< Anything. The rule is asked about every node each time.
  kNode,     ///< The node's own row.
  kNodes,    ///< Its row, and what the Nodes say of themselves; no pods on other nodes.
  kRows,     ///< All rows. The rule follows their changes itself: see KeptSlot.
};

/// What a rule of Reads::kRows has worked out for a class of equal pods. It is brought up to date at the
/// next request for that class. One request at a time uses it: a rule bound to it is asked within that
/// request alone, and so does not override ignores_nominated().
class KeptState {
 public:
  virtual ~KeptState() = default;
  /// A rough figure.
  virtual std::size_t bytes() const = 0;
};

/// The place of a rule's state. It is given where nothing but rows can have changed since the rule was last
/// bound with this place: no object of the kinds that its record names, and no overlay is in force.
struct KeptSlot {
  /// Null: nothing is known. A rule takes it out while it works, so that nothing stays of work that throws.
  std::shared_ptr<KeptState> state;
  std::span<const NodeId> changed;  ///< The rows that have changed since then. One may come several times.
};

/// The input of a rule. Pod, view and nodes must outlive map() and reduce() of the rules bound to them.
struct Request {
  const Pod& pod;
  const View& view;
  /// The nodes asked about, in the order asked, each once. For a priority: those that are scored.
  std::span<const NodeId> nodes;
  Accounting accounting = Accounting::kToday;
  /// Whether upstream's PreFilter is enabled for the rule. If not, a rule whose Filter works without it must
  /// judge each node as that Filter alone does. The engine then ignores refuses_pod() and only().
  bool pre_filters = true;
  /// Takes the reasons that do not fit into a verdict. Required for filter rules; must outlive them.
  ReasonLists* reason_lists = nullptr;
  /// The cluster before pods were taken from it, or nominated ones added, in thought; null: that is `view`.
  /// Upstream's v1.16 computes its metadata for that one, and then follows the changes.
  const View* before = nullptr;
  /// Where the rule may keep what it works out, for the pod's class; null: nothing is kept.
  KeptSlot* kept = nullptr;
  /// Whether the rule may use numbers that are kept by row with the state: see View::kept_numbers().
  bool uses_kept_numbers = false;
  /// The time for the request; null: unlimited. A rule whose loops grow with the pod checks it in them.
  const Budget* budget = nullptr;

  /// Throws OutOfTime if the time is over.
  void check_time() const {
    if (budget) budget->check();
  }
};

// A predicate's verdict on one node.

enum class Fit : std::uint8_t {
  kFits,
  kUnschedulable,  ///< Does not fit; evicting pods might help.
  kUnresolvable,   ///< Does not fit, and evicting pods cannot help.
  kError,          ///< The rule fails on the node. The call fails if upstream would have got to this rule.
};

/// A verdict in eight bytes: the fit in the two upper bits, then whether it is listed, and the reasons. These
/// are one bit for each of the bound rule's reasons (Predicate::reasons()). In a listed verdict they are the
/// number of a list of texts (ReasonLists). The texts are looked up when they are read: see reasons_of().
class Verdict {
 public:
  /// Reasons with lower numbers have a bit.
  static constexpr unsigned kMaxReasons = 61;

  constexpr Verdict() = default;  ///< Fits.
  static constexpr Verdict of(Fit fit, std::uint64_t reasons) {
    Verdict verdict;
    verdict.bits_ = static_cast<std::uint64_t>(fit) << kFitShift | reasons;
    return verdict;
  }
  static constexpr Verdict listed(Fit fit, std::uint64_t list) { return of(fit, kListed | list); }
  /// The verdict of a rule with one reason. @param otherwise  the fit if it fails, with reason 0.
  static constexpr Verdict one(bool fits, Fit otherwise) { return fits ? Verdict() : of(otherwise, 1); }

  constexpr bool fits() const { return bits_ == 0; }
  constexpr Fit fit() const { return static_cast<Fit>(bits_ >> kFitShift); }
  constexpr bool is_listed() const { return (bits_ & kListed) != 0; }
  /// The bits of the reasons. Requires a verdict that is not listed.
  constexpr std::uint64_t reasons() const { return bits_ & (kListed - 1); }
  /// The number of the list. Requires a listed verdict.
  constexpr std::uint64_t list() const { return bits_ & (kListed - 1); }
  constexpr bool operator==(const Verdict&) const = default;
  /// All of it as a number; equal for equal verdicts.
  constexpr std::uint64_t bits() const { return bits_; }

 private:
  static constexpr unsigned kFitShift = 62;
  static constexpr std::uint64_t kListed = std::uint64_t{1} << kMaxReasons;

  std::uint64_t bits_ = 0;
};

// A rule in the dry run of a preemption: its verdict on a node as pods leave the node and come back.
//
// Upstream works out once for a pod what its plugins need of the cluster (PreFilter). A dry run changes that
// by one pod after the other: AddPod and RemovePod of the plugin, and those of NodeInfo. So a pod counts as a
// plugin's AddPod counts it, which is not always as its PreFilter has counted it. A pod that is being deleted
// is one example: PodTopologySpread does not count it, and takes it off all the same.

class Arguments;

/// One node at a time. Used by one thread; copies may be used by others.
class Trial {
 public:
  virtual ~Trial() = default;

  /// Turns to a node, with the pods that the view has on it.
  virtual void begin(NodeId node) = 0;
  /// A pod of the state leaves the node (by = -1), or comes to it (by = 1). Only a pod that has left, or one
  /// that is not on any node, may come.
  virtual void change(PodId pod, std::int32_t by) = 0;
  /// Whether the pod that is to be placed passes the rule on the node, as it is now.
  virtual bool fits() const = 0;
  /// Another trial, at the same node with the same changes. What both need of the cluster they share.
  virtual std::unique_ptr<Trial> copy() const = 0;
};

/// Makes the trial of a rule that is bound to the same request. It turns to no node. What the request refers
/// to outlives it. Throws OutOfTime when the request's time is over. Null: for
/// this pod the rule has none.
using MakeTrial = std::unique_ptr<Trial>(const Request&, const Arguments&);

// The interface of a rule that filters.

class Arguments;

/// A filter rule bound to one request. Binding has worked out, once, what depends only on the pod and on the
/// cluster as a whole.
class Predicate {
 public:
  virtual ~Predicate() = default;

  /// Writes the verdict on nodes[i] to out[i], which is "fits" on entry. Called concurrently for disjoint
  /// chunks of the request's nodes, in any order. It must write nothing else but the request's reason lists,
  /// and must not block. What it throws (OutOfTime, out of memory) ends the request.
  virtual void map(std::span<const NodeId> nodes, std::span<Verdict> out) const = 0;

  /// The texts of the reasons by number, 0 first. They are upstream's texts: its reasons, and its errors. The
  /// rule owns them, and they are read when the request and its view may be gone.
  virtual std::span<const std::string> reasons() const = 0;

  /// Whether the rule has refused the pod, or failed, before it looked at any node (upstream's PreFilter).
  /// Its verdict is then the same for every node, and comes before the verdicts of all other rules.
  virtual bool refuses_pod() const { return false; }
  /// The names of the only nodes that remain (a PreFilter's result), sorted; null if all do. The verdicts of
  /// map() on other nodes come before the verdicts of all other rules.
  virtual const std::vector<std::string>* only() const { return nullptr; }
  /// Whether nominated pods leave its verdicts as they are. The engine then does not bind it again for them.
  virtual bool ignores_nominated() const { return false; }
  /// Of a rule that was bound with a KeptSlot: the nodes whose verdicts may differ from those of the last
  /// request that had it, beside the rows that have changed. Null: all may.
  virtual const std::vector<NodeId>* moved() const { return nullptr; }
};

/// Binds a rule to a request. It throws OutOfTime when the request's time is over.
/// @return null if the rule does not apply to this pod: the pod then fits every node, at no cost. A plugin
/// whose PreFilter may Skip returns null exactly where upstream skips.
using BindPredicate = std::unique_ptr<const Predicate>(const Request&, const Arguments&);

// The interface of a rule that scores.

class Arguments;

/// The largest score of a classic rule, and of an extender's answer.
inline constexpr std::int64_t kMaxClassicScore = 10;

/// The largest score of a plugin of today's generation. Upstream: fwk.MaxNodeScore v1.37.0.
inline constexpr std::int64_t kMaxNodeScore = 100;

/// The rows of nodes in groups: those of one group have one raw score, and Priority::reduce() makes one score
/// of it. A group has a number, which may be given to another one when no row is left in it.
struct NodeGroups {
  /// A row that is of another group than before.
  struct Move {
    NodeId row = kNone;
    std::uint32_t before = kNone;  ///< kNone: it was of none.
    std::uint32_t now = kNone;
  };
  /// Where fewer nodes than this are in a group, in the mean, groups save nothing.
  static constexpr std::size_t kFewestNodes = 4;

  std::span<const std::uint32_t> of_row;  ///< By row. kNone, or a row beyond: it is of none.
  std::size_t count = 0;                  ///< All numbers are below this.
  /// Since the last request that had the slot, in their order. Null: any row may be of another group.
  const std::vector<Move>* moves = nullptr;
};

/// What reduce() makes a node's score of, beside the pod and what its record names. With the last two it does
/// not look at its nodes: it may be asked with fewer scores, and twice.
enum class ReducesBy : std::uint8_t {
  kAnything,
  kValues,    ///< Its raw score, and which raw scores there are; not which nodes, nor how many.
  kOwnValue,  ///< Its raw score alone.
};

/// A scoring rule bound to one request. It maps each node to a raw score, and then reduces all raw scores to
/// scores.
class Priority {
 public:
  virtual ~Priority() = default;

  /// Writes the raw score of nodes[i] to out[i], which is 0 on entry. Called concurrently for disjoint chunks
  /// of the request's nodes, in any order. It must write nothing else, and must not block. What it throws
  /// (OutOfTime, out of memory) ends the request.
  virtual void map(std::span<const NodeId> nodes, std::span<std::int64_t> out) const = 0;

  /// Turns the raw scores of all the request's nodes into scores, in place. Called once, after the last
  /// map(); not where score_groups() is called, and otherwise by reduces_by(). A rule whose raw scores are
  /// its scores does not override this.
  virtual void reduce(std::span<const NodeId> nodes, std::span<std::int64_t> scores) const {
    static_cast<void>(nodes);
    static_cast<void>(scores);
  }
  /// False: reduce() is not overridden, so that a node's score does not depend on other nodes. Of a rule with
  /// Reads::kNode or kNodes, equal raw scores of equal nodes are reduced to equal scores.
  virtual bool has_reduce() const { return true; }
  virtual ReducesBy reduces_by() const { return ReducesBy::kAnything; }
  /// The raw score of every node, of a rule that gives all the same; nothing: it may give different ones.
  virtual std::optional<std::int64_t> constant() const { return std::nullopt; }
  /// As Predicate::moved(), for raw scores. Where it is not null, and no raw score is another one, reduce()
  /// gives the scores of the last request.
  virtual const std::vector<NodeId>* moved() const { return nullptr; }
  /// Of a rule that was bound with a KeptSlot: its nodes in groups; nothing: it has none. They hold as long
  /// as the rule.
  virtual std::optional<NodeGroups> groups() const { return std::nullopt; }
  /// Of a rule with groups: writes the score of groups[i] to scores[i]. These are the groups of all the
  /// request's nodes; map() and reduce() would give their nodes the same.
  virtual void score_groups(std::span<const std::uint32_t> groups, std::span<std::int64_t> scores) const {
    static_cast<void>(groups);
    static_cast<void>(scores);
  }
};

/// Binds a rule to a request. An error fails the whole call, as upstream's scoring errors do.
/// @return null if the rule does not apply to this pod: every node then scores 0. A plugin whose PreScore may
/// Skip returns null exactly where upstream skips.
using BindPriority = std::expected<std::unique_ptr<const Priority>, std::string>(const Request&,
                                                                                 const Arguments&);

}  // namespace winnow
