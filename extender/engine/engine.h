// The engine, which runs one rule set for a request; its passes; and the error that says why no node fits.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <expected>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/rule/rule.h"
#include "extender/engine/score_table.h"
#include "extender/reuse/kept_class.h"
#include "extender/reuse/node_totals.h"

namespace winnow {

class KeptAnswers;
class MemoryBudget;
class Overlay;
class ReasonLists;
class View;
class Workers;
struct Pod;
struct RawChanges;
struct RawMove;
struct RuleSet;

enum class Pass : std::uint8_t { kDecode, kBind, kMap, kReduce, kSelect, kEncode, kHold };
inline constexpr std::size_t kPasses = 7;

constexpr std::string_view to_string(Pass pass) {
  constexpr std::array<std::string_view, kPasses> kNames = {"decode", "bind",   "map", "reduce",
                                                            "select", "encode", "hold"};
  return kNames[static_cast<std::size_t>(pass)];
}

/// A stopwatch with a total for each pass, in seconds. The total of a pass that was not run is negative. One
/// thread at a time uses it.
class PassTimes {
 public:
  PassTimes() { seconds_.fill(-1); }

  /// Adds the time since the last call, or since construction, to this pass.
  void lap(Pass pass) {
    const auto now = std::chrono::steady_clock::now();
    double& total = seconds_[static_cast<std::size_t>(pass)];
    total = (total < 0 ? 0 : total) + std::chrono::duration<double>(now - last_).count();
    last_ = now;
  }
  const std::array<double, kPasses>& seconds() const { return seconds_; }

 private:
  std::array<double, kPasses> seconds_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// The one-line error that says why no node fits.

/// The reason for a node that kube-scheduler asks about and the cache lacks.
inline constexpr std::string_view kNotInCache = "node(s) were not in Winnow's picture of the cluster yet";

/// "0/5 nodes are available: 2 node(s) were unschedulable, 3 Insufficient cpu."
/// Upstream: pkg/scheduler/framework/types.go FitError.Error() v1.37.0.
/// @param counts  by reason, the number of nodes that were refused for it.
/// @param nodes  the number of all nodes.
std::string fit_error(const std::map<std::string_view, std::size_t>& counts, std::size_t nodes);

// The engine: it runs one rule set for a request, over all nodes.
//
// Filtering binds the predicates to the request and maps them over the nodes. Scoring binds the priorities,
// maps them, reduces each rule's row to scores and sums these with weights. In a matrix rows are rules and
// columns are nodes. Every slot has one writer, so there is no lock.
//
//   ruleset.h                the rules of a profile or a Policy
//   workers.h                the threads that map
//   engines.h                one engine for each profile
//   select.h                 the choice of a node, and the scores of an answer
//   nominated.h              nodes that are promised to other pods
//   disruption_budgets.h     evictions that break a PodDisruptionBudget
//   preemption_candidates.h  the nodes where evictions may make room, and dry runs on them
//   victim_search.h          the pods that a preemption evicts, on all nodes
//   victims.h                the same, on nodes that kube-scheduler names; and whether victims may
//                            stay
//   preemption_preview.h     what kube-scheduler's preemption would do

/// The predicates bound to a request. Null: the rule has nothing to say about the pod.
using BoundPredicates = std::vector<std::unique_ptr<const Predicate>>;

/// The predicates' verdicts on the nodes of a request.
struct Filtered {
  static constexpr std::uint16_t kNobody = 0xffff;

  const RuleSet* rules = nullptr;
  const Budget* budget = nullptr;  ///< The request's; null: unlimited.
  BoundPredicates bound;           ///< By rule.
  /// By node, in the request's order: the first rule that refuses the node, and that rule's verdict.
  SharedVector<std::uint16_t> failed_by;
  SharedVector<Verdict> verdict;
  /// The nodes that fit, where they are known already. Whoever changes a verdict resets it.
  std::optional<FittingNodes> fitting;
  /// [rule * nodes + node]: every rule's verdict on every node. Filled only where all rules were asked.
  std::vector<Verdict> matrix;
  /// [rule], by node id: 1 for the nodes that the rule's PreFilter leaves. Empty: it leaves all nodes.
  std::vector<std::vector<std::uint8_t>> left;
  /// Shared by the rules in `bound` and by those that are bound again with nominated pods.
  std::shared_ptr<ReasonLists> reason_lists;

  bool fits(std::size_t node) const { return failed_by[node] == kNobody; }
  /// Whether a PreFilter has refused the pod before any node was looked at. Upstream counts no nodes then.
  bool refused_before_nodes() const;
  /// The texts of a rule's verdict, in order.
  std::vector<std::string_view> reasons(std::size_t rule, Verdict failed) const;
  /// The error of the first node whose filtering ended in one, in upstream's words. It fails the whole call.
  std::optional<std::string> error() const;
};

/// The nodes of the request that fit, found by the verdicts.
FittingNodes fitting_of(const Filtered& filtered, std::span<const NodeId> nodes);

/// The priorities' scores. Nodes are in the order of the request.
struct Scored {
  std::vector<std::int64_t> raw;  ///< [rule * nodes + node]: the results of map, where asked for.
  ScoreTable scores;              ///< The results of reduce.
  NodeTotals totals;              ///< By node: the weighted sum.
  std::vector<bool> skipped;      ///< By rule: it gives no scores for this pod.
};

/// The priorities bound to a request. Null: the rule gives no scores for this pod.
using BoundPriorities = std::vector<std::unique_ptr<const Priority>>;

/// Why the priorities have given no scores.
struct ScoringError {
  std::size_t rule = 0;  ///< The priority that failed: the first one, in the order of the rule set.
  std::string text;      ///< The error that fails the call, in upstream's words.
};

/// Runs one rule set. Immutable; all requests share it, from any thread. Every function that asks rules
/// throws OutOfTime soon after the request's time is over. What a rule throws on a helper thread is thrown to
/// the caller.
class Engine {
 public:
  /// All outlive the engine. @param kept  answers of these rules, to be given again; null: none are kept.
  Engine(const RuleSet& rules, Workers& workers, KeptAnswers* kept = nullptr)
      : rules_(rules), workers_(workers), kept_(kept) {}

  /// Asks the predicates about the request's nodes. What today's plugins say in PreFilter counts first. A
  /// node's first failure ends its filtering, unless `all_rules`. Nodes with nominated pods are asked about
  /// twice: see nominated.h. The time is added to the passes bind and map.
  Filtered filter(const Request& request, bool all_rules, PassTimes& times) const;

  /// Binds the predicates, and takes in what they say before any node is looked at. Maps nothing.
  Filtered begin(const Request& request) const;
  /// Whether the pod would fit on a node after changes to the cluster, nominated pods counted. As in
  /// upstream's dry run of a preemption, PreFilter is not run again.
  /// @param begun  the result of begin() for the cluster without the changes. A plugin of today's that had
  ///   nothing to say there is skipped here. @param before  that cluster.
  /// @param why  gets the reasons of the first rule that refuses the node; may be null.
  bool fits_after(const Filtered& begun, const Pod& pod, const View& before, const Overlay& changed,
                  std::string_view node_name, std::vector<std::string>* why = nullptr) const;

  /// Whether the request's only node passes these rules, bound anew to the request.
  /// @param begun  as above. @param nominated  the request's view has nominated pods on the node, and the
  /// node
  ///   is asked about without them as well.
  bool passes_anew(const Filtered& begun, std::span<const std::size_t> rules, const Request& request,
                   bool nominated) const;

  /// Asks the priorities about the request's nodes, which are assumed to fit. The time is added to the
  /// passes bind, map and reduce. @return the scores, or the error that fails the call.
  std::expected<Scored, ScoringError> prioritize(const Request& request, bool keep_raw,
                                                 PassTimes& times) const;

  const RuleSet& rules() const { return rules_; }
  Workers& workers() const { return workers_; }

 private:
  /// The second time that a node is asked about; see nominated.h.
  struct Again {
    NodeId before = kNone;   ///< The node in the view that `begun` was bound to.
    bool nominated = false;  ///< The new view differs from that one in nominated pods only.
  };
  Filtered ask_again(const Filtered& begun, const Request& request, Again again, bool all_rules) const;
  Verdict ask_rule_again(const Filtered& begun, std::size_t rule, const Request& request, Again again,
                         std::unique_ptr<const Predicate>& bound) const;
  bool decides_node(bool fits, Verdict before, Verdict failure) const;
  void count_nominated(Filtered& result, const Request& request, std::span<const std::uint16_t> refused,
                       bool all_rules) const;
  void refuse_before_nodes(Filtered& result, const Request& request) const;
  void map(const Filtered& result, std::size_t rule, std::span<const NodeId> nodes,
           std::span<Verdict> out) const;
  /// Nodes with what is found of them, in the same order.
  struct Part {
    std::span<const NodeId> nodes;
    std::span<std::uint16_t> failed_by;
    std::span<Verdict> verdict;

    Part sub(std::size_t begin, std::size_t end) const;
  };
  void filter_plainly(Filtered& result, const Request& request, bool all_rules) const;
  void filter_chunk(const Filtered& result, std::span<const std::size_t> rules, Part part) const;
  void filter_chunk_all(Filtered& result, Part all, std::size_t begin, std::size_t end) const;
  /// @param slots  for rules that keep something themselves; null: they do not.
  Filtered bind_predicates(const Request& request, KeptSlots* slots) const;
  /// Whether a PreFilter speaks of single nodes, or refuses the pod.
  bool decides_before_nodes(const Filtered& bound) const;
  std::expected<BoundPriorities, ScoringError> bind_priorities(const Request& request,
                                                               KeptSlots* slots) const;
  /// Writes the raw scores, and adds up those that are scores. @param rows  [rule * nodes + node]
  /// @return false: one of the latter is outside [0, 100].
  bool map_plainly(const Request& request, const BoundPriorities& bound, std::span<std::int64_t> rows,
                   std::span<std::int64_t> totals) const;
  std::expected<Scored, ScoringError> score_plainly(const Request& request, const BoundPriorities& bound,
                                                    bool keep_raw, PassTimes& times) const;

  // The same by what is kept of earlier answers; see reuse.cc. False, or nothing: it was not done.
  bool filter_reusing(Filtered& result, const Request& request, KeptClass& kept) const;
  void check_verdicts(Filtered& result, const Request& request, KeptClass& kept) const;
  void follow_verdicts(const Filtered& result, const Request& request, KeptClass::Verdicts& known,
                       const Speaking& speaking) const;
  void answer_all(const Filtered& result, const Request& request, KeptClass::Verdicts& known) const;
  void answer_at(const Filtered& result, std::span<const NodeId> rows, KeptClass::Verdicts& known) const;
  void ask_anew(const Filtered& result, const Speaking& speaking, KeptClass::Verdicts& known,
                std::span<const NodeId> stale, MemoryBudget* call) const;
  void ask_others(const Filtered& result, Part all) const;
  std::expected<Scored, ScoringError> score_reusing(const Request& request, const BoundPriorities& bound,
                                                    bool keep_raw, PassTimes& times, KeptClass& kept) const;
  /// @param known  the scores of the class `of`.
  std::expected<Scored, ScoringError> follow_scores(const Request& request, const BoundPriorities& bound,
                                                    const KeptClass& of, KeptClass::Scores& known,
                                                    bool keep_raw, PassTimes& times) const;
  std::vector<RawChanges> map_anew(const Request& request, const BoundPriorities& bound,
                                   KeptClass::Scores& known, std::span<const NodeId> stale, bool goes_on,
                                   MemoryBudget* call) const;
  void check_scores(std::expected<Scored, ScoringError>& scored, const Request& request, bool keep_raw,
                    KeptClass& kept) const;
  /// What follow_scores() works with.
  struct Following;
  bool map_others(std::size_t rule, Following& following) const;
  /// Sets the scores of a rule by its groups. Where few nodes have come or gone, and no group has another
  /// score, this is the work of what has changed. @return false: the rule has no groups, or nothing is won.
  bool follow_groups(std::size_t rule, Following& following) const;
  /// The same of a rule that reduces by values, whose raw scores are kept by row. A raw score is a group.
  bool follow_values(std::size_t rule, std::span<const RawMove> moves, Following& following) const;
  std::optional<ScoringError> set(std::size_t rule, std::span<const NodeId> nodes,
                                  std::span<const std::int64_t> scores, Following& following) const;
  std::optional<ScoringError> follow_rule(std::size_t rule, const RawChanges& changed,
                                          Following& following) const;

  const RuleSet& rules_;
  Workers& workers_;
  KeptAnswers* kept_;
};

/// Maps one bound priority, and looks at the request's clock.
void map_rule(const Priority& rule, const Request& request, std::span<const NodeId> nodes,
              std::span<std::int64_t> out);
/// The error for a score of the rule outside [0, 100]; v1.16 does not check.
/// Upstream: pkg/scheduler/framework/runtime/framework.go normalizeScores v1.37.0.
std::optional<ScoringError> out_of_range(const RuleSet& rules, std::size_t rule,
                                         std::span<const std::int64_t> scores);

/// The checks of v1.16 before any predicate: the pod's claims must exist, and must not be being deleted.
/// @return the error that fails the pod. Upstream: core/generic_scheduler.go podPassesBasicChecks v1.16.15.
std::optional<std::string> basic_checks(const Pod& pod, const View& view);

}  // namespace winnow
